import type { Runtime } from '../../runtime/runtime.ts'

/** A session that no call came for this long is free for others. */
const REST_MS = 250

/** The work of a connection, between which its session is let go of. */
export interface Resting {
  /** Begins a part of the work: the session stays ours until it is done, once what is returned has been waited for. */
  readonly begin: () => Promise<void> | null
  readonly done: () => void
  /** Lets go no more, and waits until nothing is being let go of. */
  readonly end: () => Promise<void>
}

/**
 * Lets go of the session of a client that is connected but rests, because that may last for days, and a person wants to
 * undo meanwhile. The next call takes it again. `findFree` returns the session unless a call of it waits for an
 * answer, because that is handed to the owner. A session with work on a schedule is kept too, and so is one with a
 * command in the background, which would end with it, until that has ended.
 */
export function letGoAtRest(runtime: Runtime, findFree: () => string | null): Resting {
  const isScheduled = runtime.rules().some(({ type }) => type === 'Periodic')
  let busy = 0
  let hasEnded = false
  let timer: NodeJS.Timeout | undefined
  let leaving: Promise<void> | null = null

  async function letGo(): Promise<void> {
    const name = findFree()
    if (name !== null && hasBackground(name)) waitForRest()
    // What cannot be let go of is kept until the connection ends.
    else if (name !== null) await runtime.release(name).catch(() => undefined)
    leaving = null
  }

  function hasBackground(name: string): boolean {
    return runtime.background().some(({ session, state }) => session === name && state === 'running')
  }

  /** Begins to wait, or anew; one timer serves all calls, because setting and clearing one for each costs more. */
  function waitForRest(): void {
    if (isScheduled || hasEnded) return
    timer = timer?.refresh() ?? setTimeout(leave, REST_MS).unref()
  }

  function leave(): void {
    if (busy === 0) leaving = Promise.resolve().then(letGo)
  }

  return {
    begin() {
      busy += 1
      return leaving
    },
    done() {
      busy -= 1
      if (busy === 0) waitForRest()
    },
    async end() {
      hasEnded = true
      clearTimeout(timer)
      await leaving
    },
  }
}
