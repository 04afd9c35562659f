import { Buffer } from 'node:buffer'

/** Disks write no less than this at once. */
const SECTOR_BYTES = 512

/**
 * Whether some bytes are what a power cut leaves of others that were being written: cut short, and zeros wherever a
 * sector did not get to the disk. The same bytes, and any others, are not.
 */
export function isTorn(found: Uint8Array, wanted: Uint8Array): boolean {
  if (found.length > wanted.length) return false
  let isWhole = found.length === wanted.length
  for (let at = 0; at < found.length; at += SECTOR_BYTES) {
    const end = Math.min(at + SECTOR_BYTES, found.length)
    const sector = found.subarray(at, end)
    if (Buffer.compare(sector, wanted.subarray(at, end)) === 0) continue
    if (sector.some((byte) => byte !== 0)) return false
    isWhole = false
  }
  return !isWhole
}
