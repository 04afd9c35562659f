import { findHarmlessRow } from '../../core/command/harmless/harmless-commands.ts'
import type { OfferedScope } from '../../core/approval.ts'
import { describeAllowance } from '../../core/grant.ts'
import type { GrantScope } from '../../core/grant.ts'
import { findScopeFault } from './answer.ts'
import { argumentsScope, compileCover, prepareCall, toolScope } from './cover.ts'
import type { GrantCall, PreparedCall } from './cover.ts'

/** The scopes offered to the approver beyond this one call, from narrow to wide. Each of them covers the call. */
export function offerScopes(call: GrantCall): readonly OfferedScope[] {
  const prepared = prepareCall(call)
  const scopes: readonly GrantScope[] = [
    argumentsScope(call),
    ...commandScopes(prepared),
    ...pathScopes(call.paths),
    toolScope(call),
  ]
  return scopes
    .filter((scope) => findScopeFault(scope) === null && compileCover(scope)(prepared))
    .map((scope) => ({
      scope,
      sentence: describeAllowance(call.tool, scope, call.usual?.says),
      ...(call.confined === undefined ? {} : { confined: call.confined }),
    }))
}

/** The row of the table that understands the command, such as `git log`. */
function commandScopes({ words, isHarmless }: PreparedCall): readonly GrantScope[] {
  const row = words === null || !isHarmless ? null : findHarmlessRow(words)
  return row === null ? [] : [{ kind: 'command', words: row.words }]
}

/** The file itself, and the common folder of all paths. */
function pathScopes(paths: readonly (string | null)[]): readonly GrantScope[] {
  const known = paths.filter((path) => path !== null)
  const [first] = known
  if (first === undefined || known.length < paths.length) return []
  const isOne = known.every((path) => path === first)
  const folder = known.map(folderOf).reduce(commonFolder)
  return [
    ...(isOne ? [{ kind: 'path', glob: escapeGlob(first) } as const] : []),
    ...(folder === '' ? [] : [{ kind: 'path', glob: `${escapeGlob(folder)}/**` } as const]),
  ]
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function commonFolder(one: string, other: string): string {
  const others = other.split('/')
  const names = one.split('/')
  const end = names.findIndex((name, index) => name !== others[index])
  return (end === -1 ? names : names.slice(0, end)).join('/')
}

/** Escapes characters that are special in a pattern. */
function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\!]/g, '\\$&')
}
