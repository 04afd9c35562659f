import type { Sqlite } from '../../host/db/sqlite.ts'
import { readSpan, sizeOf } from '../../host/fs/private-files.ts'
import { readBootId } from '../../host/system/platform.ts'
import { decodeFrame } from './frame.ts'
import { HEADER_BYTES, seedOf } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'
import { readEpoch, readTakenUp } from './taken-up.ts'

/** Segments are smaller. */
export const MOST_BYTES = 64 * 1024 ** 2

/** A segment without a readable header. */
export interface Headless {
  readonly path: string
  /** From the name of the file. */
  readonly id: string
}

/**
 * Whether nothing follows the place of a header: a segment is created with zeros there, so this is all that a process
 * leaves that dies while it makes one. A file that is gone is empty too.
 */
export function isEmptyDraft({ path }: Headless): boolean {
  const bytes = sizeOf(path)?.bytes ?? 0
  return bytes <= MOST_BYTES && readSpan(path, HEADER_BYTES, bytes)?.some((byte) => byte !== 0) !== true
}

/**
 * The header of a segment that lost it to damage: the id is in its name, and the frames hold only with the right epoch.
 * Null if nothing says that it belongs to this database, or no frame holds. Its boot is taken to be this one, so that a
 * gap in it counts as damage.
 */
export function recoverHeader(
  sqlite: Sqlite,
  { path, id }: Headless,
  database: string,
): SegmentHeader | null {
  const bytes = readSpan(path, 0, Math.min(sizeOf(path)?.bytes ?? 0, MOST_BYTES))
  if (bytes === null) return null
  const known = readEpoch(sqlite, id)
  if (known === null && !bytes.subarray(0, HEADER_BYTES).includes(` ${database} `)) return null
  // It may have been begun anew without the database having heard of that.
  for (const epoch of known === null ? [1] : [known + 1, known]) {
    const header = { id, database, boot: readBootId() ?? '', epoch }
    const { taken } = readTakenUp(sqlite, header)
    const seed = seedOf(header)
    const holds = [HEADER_BYTES, taken].some(
      (at) => at < bytes.length && decodeFrame(bytes, at, seed) !== null,
    )
    if (holds) return header
  }
  return null
}
