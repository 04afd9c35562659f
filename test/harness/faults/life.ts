import * as fs from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './world/acknowledged.ts'
import { liveUntil } from './mortal.ts'
import type { Life } from './mortal.ts'
import { openWorld } from './world/open-world.ts'
import type { Stage } from './world/stage.ts'
import type { Step } from './world/watching.ts'
import { copyAll } from './world/world.ts'
import type { World } from './world/world.ts'

/** Plays a stage in this process until it dies; what it had told before is kept. */
export async function liveThrough(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  isFatal: (step: Step, number: number) => boolean,
) {
  const acknowledged: Acknowledged[] = []
  const life = await liveIn(world, stage.act, calls, stage.approve, isFatal, (told) =>
    acknowledged.push(...told),
  )
  return { ...life, acknowledged }
}

/** Lets an act run in a world until it dies; the state folder is then as it was at that moment. */
export async function liveIn(
  world: World,
  act: Stage['act'],
  calls: readonly ToolCall[],
  approve: 'later' | undefined,
  isFatal: (step: Step, number: number) => boolean,
  tell: (told: readonly Acknowledged[]) => void,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Life> {
  const left = join(world.top, 'state-at-death')
  fs.rmSync(left, { recursive: true, force: true })
  let isDead = false
  let runtime: Runtime | null = null
  const tellAlive = (told: readonly Acknowledged[]): void => {
    if (!isDead) tell(told)
  }
  const life = await liveUntil(
    isFatal,
    () => {
      isDead = true
      if (fs.existsSync(world.stateDir)) copyAll(world.stateDir, left)
    },
    async () => {
      runtime = await openWorld(world, approve, config)
      await act(runtime, calls, tellAlive, world)
      await runtime.close()
    },
  )
  if (life.diedAt === null) return life
  await (runtime as Runtime | null)?.close().catch(() => undefined)
  fs.rmSync(world.stateDir, { recursive: true, force: true })
  if (fs.existsSync(left)) fs.renameSync(left, world.stateDir)
  return life
}
