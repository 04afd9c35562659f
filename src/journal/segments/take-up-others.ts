import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Rows } from '../store/rows.ts'
import { createRowPlacer } from './place-rows.ts'
import { readWaiting } from './read-segments.ts'
import type { FoundSegment } from './read-segments.ts'
import { readTakenUp, writeTakenUp } from './taken-up.ts'

/**
 * Takes up what waits in segments of other processes, dead or alive. Call it in a transaction. A session may go on in
 * another segment, so frames that follow what is in the log come first.
 */
export function takeUpOthers(sqlite: Sqlite, log: Rows, segments: readonly FoundSegment[]): void {
  const queues = segments.flatMap((segment) => {
    const frames = readWaiting(sqlite, segment)
    return frames.length === 0 ? [] : [{ segment, frames, next: 0, isContested: false }]
  })
  if (queues.length === 0) return
  const placer = createRowPlacer(sqlite, log)
  for (;;) {
    const left = queues.filter(({ next, frames }) => next < frames.length)
    const queue = left.find(({ next, frames }) => placer.follows(frames[next]?.rows ?? [])) ?? left[0]
    const frame = queue?.frames[queue.next]
    if (queue === undefined || frame === undefined) break
    if (placer.place(frame.rows).size > 0) queue.isContested = true
    queue.next++
  }
  for (const { segment, frames, isContested } of queues) {
    const before = readTakenUp(sqlite, segment.header)
    writeTakenUp(sqlite, segment.header.id, {
      epoch: segment.header.epoch,
      taken: frames.at(-1)?.end ?? before.taken,
      isContested: isContested || before.isContested,
    })
  }
}
