import type { ToolResult } from '../../../src/core/result.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { readResult } from '../faults/world/acknowledged.ts'
import type { Acknowledged } from '../faults/world/acknowledged.ts'
import { SESSION } from '../faults/world/script.ts'
import type { LayerStage } from './layer-world.ts'
import { WIDE } from './work.ts'
import type { Work } from './work.ts'

const told = (results: readonly ToolResult[]): readonly Acknowledged[] => results.flatMap(readResult)

type Report = Awaited<ReturnType<Runtime['undo']>>
const reverted = ({ ok, calls }: Report): readonly Acknowledged[] => (ok ? [{ is: 'reverted', calls }] : [])

const ACTS: Readonly<
  Record<string, (runtime: Runtime, work: Work) => Promise<readonly Acknowledged[] | void>>
> = {
  run: async (runtime, { calls }) => told(await runtime.run(calls, { session: SESSION })),
  ask: async (runtime, { calls }) => told(await runtime.run(calls, { session: SESSION })),
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
  work: Work = WIDE,
): Promise<readonly Acknowledged[]> {
  return (await ACTS[name]?.(runtime, work)) ?? []
}
