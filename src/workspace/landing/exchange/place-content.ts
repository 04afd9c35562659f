import { compareMoved } from '../../../host/root/file-stat.ts'
import type { FileStat } from '../../../host/root/root.ts'
import type { InspectOptions, Target } from '../change-status.ts'
import { isSameContent, readState } from '../file-state.ts'
import { Replaced } from '../move-content.ts'

/**
 * How often content is exchanged to give back what another program saved. Each time but the first needs another save
 * within the few microseconds between two system calls.
 */
const MOST_EXCHANGES = 100

/** What looking at a replaced file needs. */
type Options = Pick<InspectOptions, 'digests'>

/**
 * Gives staged content its name, if that still holds what was found there just now. Where the system can exchange two
 * names, the file that was replaced is looked at afterwards: if another program saved it in the last instant, it gets its
 * name back, and a `Replaced` is thrown. Elsewhere such a file is lost.
 */
export function replaceAgreed(target: Target, now: FileStat | null, options: Options): void {
  const { change, root, staged } = target
  const { path } = change
  const moved = now === null ? root.moveIfFree(staged, path) : root.exchange(staged, path)
  if (moved === 'refused' && (root.stat(path) === null) !== (now === null)) throw new Replaced(path)
  if (moved !== 'done') return root.placeFile(staged, path)
  if (now === null) return
  if (!isAgreed(target, now, options)) {
    putBack(target, options)
    throw new Replaced(path)
  }
  root.unlink(staged)
}

/** Removes a file, if it is still what was found just now; the same holds for it. */
export function removeAgreed(target: Target, now: FileStat | null, options: Options): void {
  const { change, root, staged } = target
  const { path } = change
  if (now === null || root.moveIfFree(path, staged) !== 'done') return root.unlink(path)
  if (!isAgreed(target, now, options)) {
    // If the name is taken again, the file was replaced once more by the program that saved it.
    if (root.moveIfFree(staged, path) !== 'done') root.unlink(staged)
    throw new Replaced(path)
  }
  root.unlink(staged)
}

/** Whether the file that now has the staged name is the one that was found at the path. */
function isAgreed({ change, root, staged, found }: Target, before: FileStat, { digests }: Options): boolean {
  const replaced = root.stat(staged)
  if (replaced === null) return true
  const compared = compareMoved(before, replaced)
  if (compared !== 'unknown') return compared === 'same'
  const content = readState(root, staged, digests)
  return isSameContent(content, found) || isSameContent(content, change.before)
}

/**
 * Gives what has the staged name its path back, in exchange for our content. If that was replaced in the meantime as
 * well, the newer file gets the path, as it would have without us.
 */
export function putBack({ change, root, staged }: Target, { digests }: Options): void {
  const { path, after } = change
  let isExpected = (): boolean => isSameContent(readState(root, staged, digests), after)
  for (let times = 0; times < MOST_EXCHANGES; times++) {
    const theirs = root.stat(staged)
    if (theirs === null || root.moveIfFree(staged, path) === 'done') return
    const moved = root.exchange(staged, path)
    if (moved === 'impossible') return root.placeFile(staged, path)
    if (moved === 'refused') continue
    if (isExpected()) return root.unlink(staged)
    isExpected = (): boolean => {
      const out = root.stat(staged)
      return out === null || compareMoved(theirs, out) !== 'other'
    }
  }
}
