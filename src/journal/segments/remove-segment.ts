import type { Sqlite } from '../../host/db/sqlite.ts'
import { removeFile } from '../../host/fs/private-files.ts'
import { renameFile } from '../../host/fs/segment-file.ts'
import { segmentLock, segmentPath } from './read-segments.ts'
import type { SegmentHeader } from './segment-header.ts'
import { forgetSegment, readTakenUp } from './taken-up.ts'

/** What is added to the name of a segment that holds something the log does not. */
export const KEPT_AS = { contested: '.contested', damaged: '.damaged' } as const

/**
 * Removes a segment. Everything in it must be taken up and synced, and its lock be held; call it in a transaction. What
 * could not be taken up is kept under another name.
 */
export function removeSegment(
  sqlite: Sqlite,
  folder: string,
  header: Pick<SegmentHeader, 'id' | 'epoch'>,
  is: 'whole' | 'damaged',
): void {
  const path = segmentPath(folder, header.id)
  const isContested = readTakenUp(sqlite, header).isContested
  if (isContested || is === 'damaged')
    renameFile(path, `${path}${isContested ? KEPT_AS.contested : KEPT_AS.damaged}`)
  else removeFile(path)
  removeFile(segmentLock(folder, header.id))
  forgetSegment(sqlite, header.id)
}
