import { createFiller, removeFile, sizeOf } from '../../host/fs/private-files.ts'
import { freeBytes } from '../../host/system/resources.ts'
import { stateFiles } from '../store/state-files.ts'

/** Below this, a call could run and then find no room for its result. */
const ROOM_BYTES = 1024 ** 2

/** Erasing overwrites what it erases, by way of the write-ahead log, so it needs room itself. */
const RESERVE_BYTES = 4 * ROOM_BYTES

/** Below this, erasing goes in portions, and afterwards what it freed is given back to the disk. */
const TIGHT_BYTES = 64 * ROOM_BYTES

/** With the reserve released, erasing this much at a time always fits. */
export const PORTION_BYTES = ROOM_BYTES

/** Whether the disk of a folder is too full for new entries. */
export function isShortOfSpace(folder: string): boolean {
  const free = freeBytes(folder)
  return free !== null && free < ROOM_BYTES
}

/** Puts space aside for erasing, if so much is left beside it; a reserve that exists is kept. */
export function makeReserve(stateDir: string, leftBytes = 2 * ROOM_BYTES): void {
  const { folder, reserve } = stateFiles(stateDir)
  try {
    if (sizeOf(reserve) !== null || (freeBytes(folder) ?? 0) < RESERVE_BYTES + leftBytes) return
    createFiller(reserve, RESERVE_BYTES)
  } catch {
    // It is made another time, when there is room and the folder can be looked at.
  }
}

/** If the disk is nearly full, gives the reserve back to it; whether it is. */
export function releaseReserve(stateDir: string): boolean {
  const { folder, reserve } = stateFiles(stateDir)
  const free = freeBytes(folder)
  if (free === null || free > TIGHT_BYTES) return false
  removeFile(reserve)
  return true
}
