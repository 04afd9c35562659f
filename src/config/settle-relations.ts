import { CHILD_ENVIRONMENT_NEVER } from './fixed-values.ts'
import type { Key, ValueOf } from './keys.ts'
import type { Layer } from './layer.ts'
import type { Merged } from './merge-layers.ts'
import type { ConfigProblem } from './settings-input.ts'

const SHELL_TOOL = 'run_command'

const LISTED_BY_DEFAULT = [
  'tools.list_directory.include_files_default',
  'tools.list_directory.include_dirs_default',
  'tools.list_directory.include_symlinks_default',
] as const

/** Checks values that depend on each other; resolves what it can and returns the rest as problems. */
export function settleRelations(merged: Merged, layers: readonly Layer[]): readonly ConfigProblem[] {
  liftShellTool(merged, layers)
  noteOverlap(merged)
  noteNoRoots(merged)
  noteForbiddenVariables(merged)
  return checkListing(merged)
}

function valueOf<K extends Key>(merged: Merged, key: K): ValueOf<K> {
  // The loader stored it through this key's own reader.
  return merged.values.get(key) as ValueOf<K>
}

/** Enabling the shell tool removes it from the built-in denylist; a list from a file is left alone. */
function liftShellTool(merged: Merged, layers: readonly Layer[]): void {
  const key = 'tools.approval.denylist'
  const denylist = valueOf(merged, key)
  if (!valueOf(merged, 'tools.run_command.enabled') || !denylist.includes(SHELL_TOOL)) return
  const isNamed = layers.some(({ values }) => {
    const given = values.get(key)
    return Array.isArray(given) && given.includes(SHELL_TOOL)
  })
  if (isNamed) return
  merged.values.set(
    key,
    denylist.filter((tool) => tool !== SHELL_TOOL),
  )
  merged.origin.set(key, `${merged.origin.get(key) ?? ''} - tools.run_command.enabled`)
}

function noteOverlap(merged: Merged): void {
  const denied = new Set(valueOf(merged, 'tools.approval.denylist'))
  for (const tool of valueOf(merged, 'tools.approval.allowlist')) {
    if (denied.has(tool))
      merged.notices.push(`${tool} is in both tools.approval.allowlist and denylist: it is denied.`)
  }
}

function noteNoRoots(merged: Merged): void {
  const key = 'tools.sandbox.allowed_roots'
  if (valueOf(merged, key).length > 0) return
  merged.notices.push(
    `${key} is empty (from ${merged.origin.get(key) ?? ''}): every path will be refused. A file that may only tighten can keep folders that are already allowed, but not add any.`,
  )
}

function noteForbiddenVariables(merged: Merged): void {
  for (const name of valueOf(merged, 'tools.environment.allow')) {
    const isNever = CHILD_ENVIRONMENT_NEVER.some((never) =>
      never.endsWith('*') ? name.startsWith(never.slice(0, -1)) : name === never,
    )
    if (isNever) merged.notices.push(`tools.environment.allow names ${name}, which no command is ever given.`)
  }
}

function checkListing(merged: Merged): readonly ConfigProblem[] {
  if (LISTED_BY_DEFAULT.some((key) => valueOf(merged, key))) return []
  const key = LISTED_BY_DEFAULT.find((name) => merged.origin.get(name) !== 'built in') ?? LISTED_BY_DEFAULT[0]
  const message = `${LISTED_BY_DEFAULT.join(', ')} are all false, so a listing would show nothing`
  return [{ source: merged.origin.get(key) ?? '', key, message, hint: 'set at least one of them to true' }]
}
