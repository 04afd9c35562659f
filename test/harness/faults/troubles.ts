import type { ToolCall } from '../../../src/core/call.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './world/acknowledged.ts'
import { withTrouble } from './failing.ts'
import type { Trouble } from './failing.ts'
import type { Golden } from './world/golden.ts'
import { checkLaws } from './world/laws.ts'
import { openWorld } from './world/open-world.ts'
import type { Stage } from './world/stage.ts'
import type { Step } from './world/steps.ts'
import { compareTrees, readTree } from './world/tree.ts'
import type { Tree } from './world/tree.ts'
import type { World } from './world/world.ts'

/** Trouble at one step of a stage, once or from there on. */
export interface Meeting {
  readonly step: number
  readonly trouble: Trouble
  readonly isLasting: boolean
}

/** After a failed call the rest is skipped, so that the workspace is still as after some number of edits. */
const STOPPING = { 'tools.on_execution_error': 'stop' }

/** Plays a stage in this process while a step of it meets trouble, then without, and checks every law. */
export async function meetTrouble(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  golden: Golden,
  { step, trouble, isLasting }: Meeting,
): Promise<{ readonly hit: Step | null; readonly broken: readonly string[] }> {
  const before = readTree(world.root)
  const acknowledged: Acknowledged[] = []
  const broken: string[] = []
  let runtime: Runtime | null = null
  const hit = await withTrouble(step, trouble, isLasting, async () => {
    try {
      runtime = await openWorld(world, stage.approve, STOPPING)
      await stage.act(runtime, calls, (told) => acknowledged.push(...told), world)
    } catch (error) {
      broken.push(...findUnclear(error))
    }
  })
  if (hit !== null) {
    broken.push(...findTorn(readTree(world.root), [before, ...golden], isLasting))
    broken.push(
      ...acknowledged.flatMap((ack) => ('code' in ack && ack.code === 'crashed' ? ['a tool crashed'] : [])),
    )
    if (runtime !== null) broken.push(...(await findDead(runtime)))
  }
  await (runtime as Runtime | null)?.close()
  if (hit !== null)
    broken.push(...(await checkLaws(world, { golden, acknowledged, choice: 'resume', again: calls })))
  return { hit, broken }
}

/** An error of ours says what to do next; one of the machine's does not. */
function findUnclear(error: unknown): readonly string[] {
  if (error instanceof Error && 'hint' in error) return []
  return [`not a clear error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
}

/**
 * Right after the trouble each file must be as in one of the trees. Trouble that has passed leaves one of the trees as
 * a whole; trouble that lasts may keep us from tidying up.
 */
export function findTorn(now: Tree, trees: readonly Tree[], isLasting: boolean): readonly string[] {
  if (!isLasting) {
    const differences = trees.map((tree) => compareTrees(tree, now))
    return differences.some((found) => found.length === 0)
      ? []
      : [`neither before nor after: ${differences[0]?.join('; ')}`]
  }
  const isFine = (name: string, entry: string | undefined): boolean =>
    name.includes('.tongs-') ||
    entry?.startsWith('folder') === true ||
    trees.some((tree) => tree.get(name) === entry)
  const names = new Set([...now.keys(), ...trees.flatMap((tree) => [...tree.keys()])])
  return [...names]
    .filter((name) => !isFine(name, now.get(name)))
    .map((name) => `torn: ${name} is ${now.get(name) ?? 'gone'}`)
}

/** When the trouble is over the same runtime goes on. */
async function findDead(runtime: Runtime): Promise<readonly string[]> {
  try {
    const [result] = await runtime.run([{ id: 'x', name: 'read_file', args: { path: 'keep/.hidden' } }], {
      session: 'x',
    })
    return result?.ok === true ? [] : [`it does not go on: ${result?.content ?? 'no result'}`]
  } catch (error) {
    return [`it does not go on: ${error instanceof Error ? error.message : String(error)}`]
  }
}
