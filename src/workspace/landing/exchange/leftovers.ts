import { Buffer } from 'node:buffer'
import { statPlain } from '../../../host/root/stat-plain.ts'
import type { InspectOptions, Target } from '../change-status.ts'
import { isSameContent, isTorn, readBytes, readState } from '../file-state.ts'
import { attempt } from '../landing-outcome.ts'
import { putBack } from './place-content.ts'

/**
 * Looks at what an interrupted landing left under the staged name of a file that is in place. That is the file that was
 * replaced; if another program had saved it in the last instant, it gets its path back, else it is removed, so that its
 * folder can be. Returns whether it was given back.
 */
export function giveBack(target: Target, options: InspectOptions): boolean {
  const { root, staged } = target
  if (statPlain(root, staged) === null) return false
  if (isOurs(target, options)) {
    attempt(() => root.unlink(staged))
    return false
  }
  putBack(target, options)
  return true
}

/** Removes what is left under a staged name, unless another program saved it. */
export function removeLeftover(target: Target, options: InspectOptions): void {
  const { root, staged } = target
  if (statPlain(root, staged) !== null && isOurs(target, options)) root.unlink(staged)
}

/** Whether what has a staged name is the file that the call was to replace, or new content, however much of it. */
function isOurs({ change, root, staged, found }: Target, { digests, contentOf }: InspectOptions): boolean {
  const { before, after } = change
  const left = readState(root, staged, digests)
  if (left === null || isSameContent(left, after) || isSameContent(left, before)) return true
  if (isSameContent(left, found)) return true
  const wanted = after === null ? null : contentOf(after.digest)
  if (wanted === null || left.kind !== undefined || left.stat.size > wanted.length) return false
  const bytes = readBytes(root, staged, wanted.length)
  if (bytes === null || isTorn(bytes, wanted)) return true
  return Buffer.compare(bytes, wanted.subarray(0, bytes.length)) === 0
}
