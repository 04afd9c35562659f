import type { ToolResult } from '../../../src/core/result.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { readResult } from '../faults/world/acknowledged.ts'
import type { Acknowledged } from '../faults/world/acknowledged.ts'
import { SESSION } from '../faults/world/script.ts'
import type { LayerStage } from './layer-world.ts'
import { WORK } from './work.ts'

const told = (results: readonly ToolResult[]): readonly Acknowledged[] => results.flatMap(readResult)

type Report = Awaited<ReturnType<Runtime['undo']>>
const reverted = ({ ok, calls }: Report): readonly Acknowledged[] => (ok ? [{ is: 'reverted', calls }] : [])

const ACTS: Readonly<Record<string, (runtime: Runtime) => Promise<readonly Acknowledged[] | void>>> = {
  run: async (runtime) => told(await runtime.run(WORK, { session: SESSION })),
  ask: async (runtime) => told(await runtime.run(WORK, { session: SESSION })),
  approve: async (runtime) =>
    told((await runtime.decide('all', { isApproved: true, session: SESSION })).results),
  deny: async (runtime) =>
    told((await runtime.decide('all', { isApproved: false, session: SESSION })).results),
  undo: async (runtime) => reverted(await runtime.undo({ session: SESSION })),
  recover: (runtime) => runtime.ready(),
  'recover undo': (runtime) => runtime.ready(),
  redo: async (runtime) => reverted(await runtime.redo({ session: SESSION })),
}

/** Does with the library what the command of a stage does; gives what it told. */
export async function playLayerStage(
  runtime: Runtime,
  { name }: Pick<LayerStage, 'name'>,
): Promise<readonly Acknowledged[]> {
  return (await ACTS[name]?.(runtime)) ?? []
}
