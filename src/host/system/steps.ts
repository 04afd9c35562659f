/** Lets other work go on if the last time was a while ago. */
type Pause = () => Promise<void> | undefined

/** Runs steps to their end at once. */
export function runSteps<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs steps to their end, with pauses between them. */
export async function runWithPauses<T>(steps: Generator<unknown, T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const waiting = pause()
    if (waiting !== undefined) await waiting
  }
}
