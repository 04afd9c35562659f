import { JournalError } from '../../journal/journal-error.ts'

/** Work in small steps, so that it can pause or stop between them. */
export type Steps<T> = Generator<undefined, T>

/** How many steps are done before other events are handled. */
const STEPS_AT_ONCE = 500

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Does the steps and handles other events meanwhile; fails as soon as the signal aborts. */
export async function finishInTurns<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let count = 1; ; count++) {
    const next = steps.next()
    if (next.done === true) return next.value
    if (count % STEPS_AT_ONCE > 0) continue
    await new Promise((resolve) => setImmediate(resolve))
    if (signal?.aborted === true) throw stopped()
  }
}

function stopped(): JournalError {
  return new JournalError(
    'wait_stopped',
    'Nothing was done: it was stopped while the history that rules look back at was read.',
    'Run it again.',
  )
}
