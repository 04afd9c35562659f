import { join } from 'node:path'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { namesIn } from '../../host/fs/private-files.ts'
import { renameFile } from '../../host/fs/segment-file.ts'
import { readBootId } from '../../host/system/platform.ts'
import { findDrafts, findGap, findOddSegments } from './read-segments.ts'
import type { FoundSegment, SegmentPlace } from './read-segments.ts'
import { KEPT_AS } from './remove-segment.ts'
import { readTakenUp } from './taken-up.ts'

const WHY = {
  contested:
    'holds entries that have no place in the journal: another process wrote to their session at the same time, or the database was put back to an older state',
  damaged: 'was damaged, and holds entries that are not in the journal',
} as const

/** What was kept of segments because it is not in the log, and what is no segment under the name of one, in words. */
export function findKept(folder: string): readonly string[] {
  const kept = namesIn(folder).flatMap((name) =>
    (['contested', 'damaged'] as const).flatMap((is) =>
      name.endsWith(KEPT_AS[is]) ? [`the segment ${join(folder, name)} ${WHY[is]}`] : [],
    ),
  )
  return [...kept, ...findOddSegments(folder).map((name) => `${join(folder, name)} is not a regular file`)]
}

/** Gives these files names under which they are no longer reported; what is in them stays for people to look at. */
export function acceptKept(folder: string): void {
  for (const name of namesIn(folder))
    if (Object.values(KEPT_AS).some((end) => name.endsWith(end)))
      renameFile(join(folder, name), join(folder, `${name}.accepted`))
  for (const name of findOddSegments(folder)) renameFile(join(folder, name), join(folder, `${name}.accepted`))
}

/** Whether a segment holds whole frames after a bad one. A power cut does that too, to what was not synced. */
export function isDamaged(sqlite: Sqlite, segment: FoundSegment): boolean {
  if (segment.header.boot !== readBootId()) return false
  const gap = findGap(sqlite, segment)
  // Its owner may have been writing while it was read; then there is no gap in that place any more.
  return gap !== null && findGap(sqlite, segment) === gap
}

/** The first segment that holds something that cannot be taken up, in words; null if there is none. */
export function findDamaged(place: SegmentPlace, segments: readonly FoundSegment[]): string | null {
  const { sqlite } = place
  for (const segment of segments) {
    const { path, header } = segment
    if (readTakenUp(sqlite, header).isContested) return `the segment ${path} ${WHY.contested}`
    if (isDamaged(sqlite, segment)) return `the segment ${path} ${WHY.damaged}`
  }
  // Its owner may have been writing the header while it was read.
  const findUnreadable = (): readonly string[] =>
    findDrafts(place).flatMap(({ path, isEmpty }) => (isEmpty ? [] : [path]))
  const first = findUnreadable()
  const unreadable = first.length === 0 ? undefined : findUnreadable().find((path) => first.includes(path))
  return unreadable === undefined ? null : `the segment ${unreadable} ${WHY.damaged}`
}
