import { tryLock } from '../../host/db/session-lock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { removeFile } from '../../host/fs/private-files.ts'
import { openSegmentFile } from '../../host/fs/segment-file.ts'
import { digest } from '../../host/system/hash.ts'
import { readBootId } from '../../host/system/platform.ts'
import type { Rows } from '../store/rows.ts'
import { isDamaged } from './find-damaged.ts'
import type { ReadFrame } from './frame.ts'
import { createRowPlacer } from './place-rows.ts'
import { findDrafts, findSegments, readWaiting, segmentLock } from './read-segments.ts'
import type { FoundSegment, SegmentPlace } from './read-segments.ts'
import { removeSegment } from './remove-segment.ts'
import { HEADER_BYTES } from './segment-header.ts'
import { readTakenUp, writeTakenUp } from './taken-up.ts'

/** No segment was begun in it. */
const UNKNOWN_BOOT = 'unknown'

/**
 * Takes up what waits in segments of other processes, dead or alive. Call it in a transaction. A session may go on in
 * another segment, so frames that follow what is in the log come first.
 */
export function takeUpOthers(sqlite: Sqlite, log: Rows, segments: readonly FoundSegment[]): void {
  const queues = segments.flatMap((segment) => {
    const frames = readWaiting(sqlite, segment).map(withoutWrong)
    return frames.length === 0 ? [] : [{ segment, frames, next: 0, isContested: false }]
  })
  if (queues.length === 0) return
  const placer = createRowPlacer(sqlite, log)
  const boot = readBootId() ?? UNKNOWN_BOOT
  for (;;) {
    const left = queues.filter(({ next, frames }) => next < frames.length)
    const queue = left.find(({ next, frames }) => placer.follows(frames[next]?.rows ?? [])) ?? left[0]
    const frame = queue?.frames[queue.next]
    if (queue === undefined || frame === undefined) break
    const mayEndEarly = queue.segment.header.boot !== boot
    if (placer.place(frame.rows, mayEndEarly).size > 0) queue.isContested = true
    queue.next++
  }
  placer.finish()
  for (const { segment, frames, isContested } of queues) {
    const before = readTakenUp(sqlite, segment.header)
    writeTakenUp(sqlite, segment.header.id, {
      epoch: segment.header.epoch,
      taken: frames.at(-1)?.end ?? before.taken,
      isContested: isContested || before.isContested,
    })
  }
}

/** A checksum protects frames against accidents only: a content that another program put there counts by its digest. */
function withoutWrong({ rows, end }: ReadFrame): ReadFrame {
  return { rows: rows.filter((row) => row.is !== 'payload' || digest(row.bytes) === row.digest), end }
}

/** Removes the segments of processes that have ended. `takeUpAll` takes up all segments, synced. */
export function removeEnded(place: SegmentPlace, takeUpAll: () => void): void {
  const { sqlite, folder } = place
  for (const { id, path, isEmpty } of findDrafts(place)) {
    const lockPath = segmentLock(folder, id)
    const lock = tryLock(lockPath)
    // Its maker may have finished it meanwhile.
    const isStill = findDrafts(place).some((one) => one.id === id && one.isEmpty === isEmpty)
    if (lock !== null && isStill) {
      if (isEmpty) for (const one of [path, lockPath]) removeFile(one)
      else sqlite.transact(false, () => removeSegment(sqlite, folder, { id, epoch: 0 }, 'damaged'))
    }
    lock?.release()
  }
  const ended = findSegments(place, null).flatMap((segment) => {
    const lock = tryLock(segmentLock(folder, segment.header.id))
    return lock === null ? [] : [{ segment, lock }]
  })
  try {
    if (ended.length === 0) return
    takeUpAll()
    sqlite.transact(false, () => {
      for (const { segment } of ended) {
        removeSegment(sqlite, folder, segment.header, isDamaged(sqlite, segment) ? 'damaged' : 'whole')
      }
    })
  } finally {
    for (const { lock } of ended) lock.release()
  }
}

/** What may be overwritten in a segment: it is in the database, which is on disk. */
export interface Scrubbable extends FoundSegment {
  readonly to: number
}

/** How far segments are taken up. Call it in a transaction that is synced. */
export function findScrubbable(sqlite: Sqlite, segments: readonly FoundSegment[]): readonly Scrubbable[] {
  return segments.map((segment) => ({ ...segment, to: readTakenUp(sqlite, segment.header).taken }))
}

/** Overwrites what was taken up from segments that were not begun anew since. Call it in a transaction. */
export function scrubSegments(found: readonly Scrubbable[], present: readonly FoundSegment[]): void {
  for (const { path, header, to } of found) {
    const isSame = present.some((one) => one.path === path && one.header.epoch === header.epoch)
    const file = isSame ? openSegmentFile(path) : null
    if (file === null) continue
    try {
      const end = Math.min(to, file.size())
      if (end > HEADER_BYTES) file.write(new Uint8Array(end - HEADER_BYTES), HEADER_BYTES)
      file.sync()
    } finally {
      file.close()
    }
  }
}
