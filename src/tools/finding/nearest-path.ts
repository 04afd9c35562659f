import { settingsOf } from '../../config/keys.ts'
import { ToolFailure } from '../../core/error.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { PowersOf } from '../../core/tool.ts'
import type { Soon } from '../../core/wait.ts'
import { rowPath } from '../rendering/row-path.ts'
import { createIgnoreNotes } from './ignore-notes.ts'
import { walkFiles } from './walk-files.ts'
import type { Scope } from './walk-files.ts'

/** How many names are looked at for a path that was meant. */
const MAX_ENTRIES = 5_000
const MAX_SHOWN = 3

const ALL: Scope = { includes: () => true, enter: () => ALL }

/** What is needed to find the path that was meant. */
type Powers = Pick<PowersOf['read'], 'files' | 'settings' | 'signal'>

/** The code of a tool, whose error about a path that does not exist names the paths that were probably meant. */
export function hintAtPaths<Args, P extends Powers, Result>(
  run: (args: Args, powers: P) => Soon<Result>,
  isThere: (path: string, powers: P) => boolean = (path, { files }) => files.follow(path) !== null,
): (args: Args, powers: P) => Soon<Result> {
  return (args, powers) => {
    const explain = async (thrown: unknown): Promise<never> => {
      throw await withNearestPath(thrown, powers, (path) => isThere(path, powers))
    }
    try {
      const running = run(args, powers)
      return running instanceof Promise ? running.catch(explain) : running
    } catch (thrown) {
      return explain(thrown)
    }
  }
}

/**
 * The error of a path that does not exist, with the paths that were probably meant: files of the same name elsewhere,
 * or the nearest name in the same folder. Any other error stays as it is.
 */
async function withNearestPath(
  thrown: unknown,
  powers: Powers,
  isThere: (path: string) => boolean,
): Promise<unknown> {
  if (!(thrown instanceof ToolFailure) || thrown.error.code !== 'execution_failed') return thrown
  // As it is shown, from the root on, however the call spelled it.
  const { path } = thrown.error.details
  if (typeof path !== 'string' || path.startsWith('tongs:') || isThere(path)) return thrown
  // Only now: whoever takes this power has looked at the disk, which ends a group of edits.
  const { files, settings, signal } = powers
  const patterns = settingsOf(settings)['tools.ignore.patterns']
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
  return new ToolFailure({
    ...error,
    details,
    recovery: [`Did you mean ${meant.map(rowPath).join(' or ')}?`],
  })
}

/** Whether there is such a file with what a call has staged, which needs no look at the disk if it is staged. */
export function isThereOrStaged(path: string, { edits }: Pick<PowersOf['edit'], 'edits'>): boolean {
  return edits.stat(path).kind !== 'missing'
}
