import { watchSteps } from './world/steps.ts'
import { DEATH } from './world/watching.ts'
import type { Reach, Step, Stop } from './world/watching.ts'

/** Thrown at the step where a process is to die; from then on every further step throws it too. */
class Death extends Error {
  constructor(step: Step) {
    super(`died at ${step.name} ${step.target}`)
    this.name = DEATH
  }
}

/** How a life went: how many steps it came to, and the one it died at. */
export interface Life {
  readonly steps: number
  readonly diedAt: Step | null
}

/** What comes after a death, and which steps count. */
interface Ended {
  /** Lets go of what the dead has open; still nothing of it reaches files. */
  readonly close: () => Promise<void>
  readonly reach: Reach
}

/**
 * Runs `body` as if it were a process that dies at the first fatal step: nothing of it reaches files or databases
 * afterwards. `onDeath` sees the world as it is at that moment.
 */
export async function liveUntil(
  isFatal: (step: Step, number: number) => boolean,
  onDeath: () => void,
  body: () => Promise<void>,
  end?: Ended,
): Promise<Life> {
  let steps = 0
  let diedAt: Step | null = null
  const look = (step: Step): Stop | null => {
    if (diedAt !== null) return { error: new Death(diedAt) }
    if (!isFatal(step, ++steps)) return null
    diedAt = step
    return { error: new Death(step), act: onDeath }
  }
  const live = async (): Promise<void> => {
    try {
      await body()
    } catch (error) {
      if (diedAt === null) throw error
    }
    if (diedAt !== null) await end?.close()
  }
  await watchSteps(look, live, end?.reach)
  return { steps, diedAt }
}
