/** Nothing waits for longer while the process has time: programs that read the database alone would not see it. */
const MOST_WAIT_MS = 1_000

/** Takes up what waits after a while. */
export interface TakeUpLater {
  /** Called whenever something waits. */
  readonly noteWaiting: () => void
  readonly stop: () => void
}

/** Creates it. `takeUp` says whether it is done; if not, it is called again after as long. It keeps no process alive. */
export function createTakeUpLater(takeUp: () => boolean): TakeUpLater {
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  function noteWaiting(): void {
    if (!isStopped) timer ??= setTimeout(run, MOST_WAIT_MS).unref()
  }

  function run(): void {
    timer = null
    try {
      if (!takeUp()) noteWaiting()
    } catch {
      // It still waits, in a file that others read too; the next write or read says what is wrong.
    }
  }

  return {
    noteWaiting,
    stop: () => {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
