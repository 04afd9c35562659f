import { ToolFailure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import { nearest } from '../../core/text/nearest.ts'
import { createIgnoreNotes } from './ignore-notes.ts'
import { walkFiles } from './walk-files.ts'
import type { Scope } from './walk-files.ts'

/** How many names are looked at for a path that was meant. */
const MAX_ENTRIES = 5_000
const MAX_SHOWN = 3

const ALL: Scope = { includes: () => true, enter: () => ALL }

/**
 * The error of a path that does not exist, with the paths that were probably meant: files of the same name elsewhere,
 * or the nearest name in the same folder. Any other error stays as it is.
 */
export async function withNearestPath(
  thrown: unknown,
  path: string,
  files: Files,
  { patterns, signal }: { readonly patterns: readonly string[]; readonly signal: AbortSignal },
): Promise<unknown> {
  if (!(thrown instanceof ToolFailure) || thrown.error.code !== 'execution_failed') return thrown
  if (path.startsWith('tongs:') || files.follow(path) !== null) return thrown
  const name = path.slice(path.lastIndexOf('/') + 1)
  const folder = path.slice(0, Math.max(0, path.length - name.length - 1))
  const same: string[] = []
  const beside = new Map<string, string>()
  const request = {
    start: '',
    scope: ALL,
    maxDepth: Infinity,
    followLinks: false,
    patterns,
    budget: { left: MAX_ENTRIES },
    signal,
    notes: createIgnoreNotes(),
  }
  await walkFiles(files, request, (file) => {
    const at = file.path.lastIndexOf('/')
    const own = file.path.slice(at + 1)
    if (own === name) same.push(file.path)
    if (file.path.slice(0, Math.max(0, at)) === folder) beside.set(own, file.path)
    return true
  })
  const close = nearest(name, beside.keys())
  const meant = [...same, ...(close === null ? [] : [beside.get(close) ?? close])].slice(0, MAX_SHOWN)
  if (meant.length === 0) return thrown
  const { error } = thrown
  const details = { ...error.details, nearest: meant }
  return new ToolFailure({ ...error, details, recovery: [`Did you mean ${meant.join(' or ')}?`] })
}
