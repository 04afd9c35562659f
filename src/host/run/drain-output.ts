import type { OutputReader } from './output-reader.ts'

/** How often in a row a stream must be found silent after the command has ended, and how long is waited in between. */
const QUIET_LOOKS = 5
const LOOK_MS = 20
/** More than any pipe holds: what comes after is not the command's. */
const MOST_BYTES = 2 * 1024 ** 2

/** Waits for what an ended command left in its pipes; a process that still holds them open is not waited for. */
export async function drainOutput(readers: readonly OutputReader[]): Promise<void> {
  const total = (): number => readers.reduce((sum, reader) => sum + reader.totalBytes(), 0)
  const allEnded = Promise.all(readers.map((reader) => reader.ended)).then(() => true)
  const startBytes = total()
  let seenBytes = startBytes
  for (let quietLooks = 0; quietLooks < QUIET_LOOKS && seenBytes - startBytes <= MOST_BYTES;) {
    if (await Promise.race([allEnded, pauseAndPoll()])) return
    const isBusy = total() !== seenBytes || readers.some((reader) => reader.isHeldBack())
    quietLooks = isBusy ? 0 : quietLooks + 1
    seenBytes = total()
  }
}

/**
 * Comes back only after the event loop has looked at its pipes again: when something else has kept it busy, time has
 * passed in which nothing could be read.
 */
function pauseAndPoll(): Promise<false> {
  return new Promise((done) => setTimeout(() => setImmediate(() => done(false)), LOOK_MS))
}
