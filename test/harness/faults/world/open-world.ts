import { createRuntime } from '../../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import { markingTools } from './script.ts'
import type { World } from './world.ts'

/** Opens the world as a person's own program would: with the marking tools, and with somebody who says yes. */
export async function openWorld(
  world: World,
  approve: 'once' | 'later' = 'once',
  config: Readonly<Record<string, unknown>> = {},
): Promise<Runtime> {
  return createRuntime({
    config,
    root: world.root,
    stateDir: world.stateDir,
    tools: markingTools(world.marks),
    approve: (requests) => (approve === 'later' ? 'later' : requests.map(() => 'once' as const)),
  })
}
