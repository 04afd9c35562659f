import type { OutputReader } from './output-reader.ts'

/** How long a stream must be silent after the command has ended. */
const QUIET_MS = 100
const LOOK_MS = 20
/** More than any pipe holds: what comes after is not the command's. */
const MOST_BYTES = 2 * 1024 ** 2

/** Waits for what an ended command left in its pipes; a process that still holds them open is not waited for. */
export async function drainOutput(readers: readonly OutputReader[]): Promise<void> {
  const total = (): number => readers.reduce((sum, reader) => sum + reader.totalBytes(), 0)
  const allEnded = Promise.all(readers.map((reader) => reader.ended)).then(() => true)
  const startBytes = total()
  let seenBytes = startBytes
  let quietSinceMs = performance.now()
  for (;;) {
    if (await Promise.race([allEnded, pause(LOOK_MS)])) return
    const isBusy = total() !== seenBytes || readers.some((reader) => reader.isHeldBack())
    if (isBusy) {
      seenBytes = total()
      quietSinceMs = performance.now()
    }
    if (seenBytes - startBytes > MOST_BYTES || performance.now() - quietSinceMs >= QUIET_MS) return
  }
}

function pause(ms: number): Promise<false> {
  return new Promise((done) => setTimeout(() => done(false), ms))
}
