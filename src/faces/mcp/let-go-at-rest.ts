import type { Runtime } from '../../runtime/runtime.ts'

/** A session that no call came for this long is free for others. */
const REST_MS = 250

/** The work of a connection, between which its session is let go of. */
export interface Resting {
  /** Runs a part of the work; the session stays ours meanwhile. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>
  /** Lets go no more, and waits until nothing is being let go of. */
  readonly end: () => Promise<void>
}

/**
 * Lets go of the session of a client that is connected but rests, because that may last for days, and a person wants to
 * undo meanwhile. The next call takes it again. `findFree` returns the session unless a call of it waits for an
 * answer, because that is handed to the owner. A session with work on a schedule is kept too.
 */
export function letGoAtRest(runtime: Runtime, findFree: () => string | null): Resting {
  const isScheduled = runtime.rules().some(({ type }) => type === 'Periodic')
  let busy = 0
  let timer: NodeJS.Timeout | undefined
  let leaving: Promise<void> = Promise.resolve()

  async function letGo(): Promise<void> {
    const name = findFree()
    if (name !== null) await runtime.release(name)
  }

  return {
    async during(work) {
      busy += 1
      clearTimeout(timer)
      try {
        await leaving
        return await work()
      } finally {
        busy -= 1
        if (busy === 0 && !isScheduled)
          // What cannot be let go of is kept until the connection ends.
          timer = setTimeout(() => (leaving = letGo().catch(() => undefined)), REST_MS).unref()
      }
    },
    async end() {
      clearTimeout(timer)
      await leaving
    },
  }
}
