import type { FileStat } from './root.ts'

/** What tells that a file is still as it was read, without reading it again. */
export interface Witness {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly changedMs: number
}

/**
 * Times of change are kept in ticks, at most a hundredth of a second long. A file that changed just before it was read
 * may change once more within the tick, and nobody could tell.
 */
const TICK_MS = 20

/** The witness of a file that was looked at just now and then read; null where only reading again could tell. */
export function witnessOf({ dev, ino, size, changedMs }: FileStat, nowMs = Date.now()): Witness | null {
  return nowMs - changedMs > TICK_MS ? { dev, ino, size, changedMs } : null
}

/** Whether a file is the one that was witnessed, unchanged. */
export function isWitnessed(witness: Witness, now: FileStat): boolean {
  return (
    now.kind === 'file' &&
    now.ino === witness.ino &&
    now.changedMs === witness.changedMs &&
    now.size === witness.size &&
    now.dev === witness.dev
  )
}
