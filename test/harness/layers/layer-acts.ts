import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { SESSION } from '../faults/world/script.ts'
import type { LayerStage } from './layer-world.ts'
import { WORK } from './work.ts'

const ACTS: Readonly<Record<string, (runtime: Runtime) => Promise<unknown>>> = {
  run: (runtime) => runtime.run(WORK, { session: SESSION }),
  ask: (runtime) => runtime.run(WORK, { session: SESSION }),
  approve: (runtime) => runtime.decide('all', { isApproved: true, session: SESSION }),
  deny: (runtime) => runtime.decide('all', { isApproved: false, session: SESSION }),
  undo: (runtime) => runtime.undo({ session: SESSION }),
  recover: (runtime) => runtime.ready(),
  'recover undo': (runtime) => runtime.ready(),
  redo: (runtime) => runtime.redo({ session: SESSION }),
}

/** Does with the library what the command of a stage does. */
export async function playLayerStage(runtime: Runtime, { name }: Pick<LayerStage, 'name'>): Promise<void> {
  await ACTS[name]?.(runtime)
}
