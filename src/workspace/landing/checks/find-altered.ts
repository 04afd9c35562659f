import { ToolFailure } from '../../../core/error.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import type { LookOptions } from '../change-status.ts'
import { isSameContent, readState } from '../file-state.ts'
import { findSpots } from '../contents/held.ts'
import type { HeldSpot } from '../contents/held.ts'
import { findOtherMark, markSpots } from '../contents/held-marks.ts'
import type { HeldMarks, MarkReader } from '../contents/held-marks.ts'

/** What is compared besides the contents, and what that takes. */
export interface AlteredOptions extends Pick<LookOptions, 'held' | 'digests'> {
  readonly compared: 'content' | 'mode too'
  readonly attributeCache: MarkReader
  /** The extended attributes and access lists that were noted; they are not compared if absent. */
  readonly noted?: HeldMarks | undefined
}

/**
 * Finds the first change whose held content is gone or is not what the change says, or carries other marks than were noted;
 * yields after each file. What is moved away first is not held yet.
 */
export function* findAltered(
  changes: readonly FileChange[],
  { compared, held, digests, attributeCache, noted }: AlteredOptions,
): Generator<null, FileChange | null> {
  const spots = yield* findSpots(changes, held)
  if (noted !== undefined) {
    // Reading what its owner may not read changes its time, which stands for marks that cannot be read.
    const marked = findOtherMark(changes, noted, yield* markSpots(spots, attributeCache))
    if (marked !== null) return marked
  }
  const isAsSaid = ({ after }: FileChange, spot: HeldSpot | null): boolean => {
    if (after === null || spot === null) return false
    try {
      const found = readState(spot.root, spot.rel, digests, spot.stat)
      if (!isSameContent(found, after)) return false
      return compared === 'content' || after.kind === 'link' || found?.stat.mode === after.mode
    } catch (thrown) {
      if (thrown instanceof ToolFailure) return false
      throw thrown
    }
  }
  for (const [change, spot] of spots) {
    if (!isAsSaid(change, spot)) return change
    yield null
  }
  return null
}
