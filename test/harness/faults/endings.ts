import type { ToolCall } from '../../../src/core/call.ts'
import type { Acknowledged } from './world/acknowledged.ts'
import { openWorld } from './world/open-world.ts'
import { takeSnapshot } from './world/snapshot.ts'
import type { Snapshot } from './world/snapshot.ts'
import type { Stage } from './world/stage.ts'
import { watchSteps } from './world/steps.ts'
import type { Reach, Step } from './world/watching.ts'
import type { World } from './world/world.ts'

/** A way for a process to end: at one of its steps, or alive. */
export interface Ending {
  /** From 1; the end that it comes to alive is one after the last. */
  readonly step: number
  readonly diedAt: Step | null
  /** What it had told before. */
  readonly acknowledged: readonly Acknowledged[]
}

/** An ending, and the world that it leaves. */
export interface RecordedEnding extends Ending {
  readonly left: Snapshot
}

/**
 * Plays a stage once, and tells what it would leave if it died at each of its steps. A process that dies at a step does
 * nothing after it, so it leaves what is there at that moment.
 */
export async function recordEndings(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  reach: Reach = 'effects',
): Promise<readonly RecordedEnding[]> {
  const endings: RecordedEnding[] = []
  const acknowledged: Acknowledged[] = []
  const record = (diedAt: Step | null): void => {
    const left = takeSnapshot(world, endings.at(-1)?.left)
    endings.push({ step: endings.length + 1, diedAt, acknowledged: [...acknowledged], left })
  }
  await watchSteps(
    (step) => ({ error: null, act: () => record(step) }),
    async () => {
      const runtime = await openWorld(world, stage.approve)
      await stage.act(runtime, calls, (told) => acknowledged.push(...told), world)
      await runtime.close()
    },
    reach,
  )
  record(null)
  return endings
}
