import type { ToolCall } from '../../../src/core/call.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './world/acknowledged.ts'
import { withTrouble } from './failing.ts'
import type { Meeting } from './failing.ts'
import type { Golden } from './world/golden.ts'
import { checkLaws } from './world/laws.ts'
import { openWorld } from './world/open-world.ts'
import type { Stage } from './world/stage.ts'
import type { Step } from './world/watching.ts'
import { compareTrees, readTree } from './world/tree.ts'
import type { Tree } from './world/tree.ts'
import type { World } from './world/world.ts'

/** After a failed call the rest is skipped, so that the workspace is still as after some number of edits. */
export const STOPPING = { 'tools.on_execution_error': 'stop' }

/** Plays a stage in this process while a step of it meets trouble, then without, and checks every law. */
export async function meetTrouble(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  golden: Golden,
  meeting: Meeting,
): Promise<{ readonly hit: Step | null; readonly broken: readonly string[] }> {
  const { isBrief = false, isAtEnd = false } = meeting
  const before = readTree(world.root)
  const acknowledged: Acknowledged[] = []
  const broken: string[] = []
  let runtime: Runtime | null = null
  const hit = await withTrouble(meeting, async () => {
    try {
      runtime = await openWorld(world, stage.approve, STOPPING)
      await stage.act(runtime, calls, (told) => acknowledged.push(...told), world)
      if (isAtEnd) await runtime.close()
    } catch (error) {
      broken.push(...findUnclear(error))
    }
  })
  if (hit !== null) {
    // What was half done before is finished later, if not now.
    const isHalfDone = [...before.keys()].some((name) => name.includes('.tongs-'))
    const isLenient = meeting.isLasting || (meeting.isSwept === true && isHalfDone)
    broken.push(...findTorn(readTree(world.root), [before, ...golden], isLenient))
    broken.push(
      ...acknowledged.flatMap((ack) => ('code' in ack && ack.code === 'crashed' ? ['a tool crashed'] : [])),
    )
    if (runtime !== null && stage.endsRuntime === undefined && !isAtEnd)
      broken.push(...(await findDead(runtime, meeting)))
  }
  if (stage.endsRuntime === undefined) await (runtime as Runtime | null)?.close()
  if (hit !== null)
    broken.push(
      ...(await checkLaws(world, { golden, acknowledged, choice: 'resume', again: calls, isBrief })),
    )
  return { hit, broken }
}

/** Errors of ours that say what to do next in their message. */
const WORDED = new Set(['ConfigurationError', 'ToolFailure'])

/** An error of ours says what to do next; one of the machine's does not. */
function findUnclear(error: unknown): readonly string[] {
  if (error instanceof Error && ('hint' in error || WORDED.has(error.name))) return []
  return [`not a clear error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
}

/** An empty folder is there that the system was asked to remove, and refused: no file is in it, so everything else goes on. */
export const FOLDER_LEFT = /expected nothing, found folder \d+$/

/**
 * Right after the trouble each file must be as in one of the trees. Trouble that has passed leaves one of the trees as
 * a whole; trouble that lasts may keep us from tidying up.
 */
export function findTorn(now: Tree, trees: readonly Tree[], isLasting: boolean): readonly string[] {
  if (!isLasting) {
    const differences = trees.map((tree) => compareTrees(tree, now))
    if (differences.some((found) => found.length === 0)) return []
    // A folder too many is a fault of its own, which each one is named for.
    const onlyFolders = differences.find((found) => found.every((line) => FOLDER_LEFT.test(line)))
    return (
      onlyFolders?.map((line) => `left: ${line}`) ?? [
        `neither before nor after: ${differences[0]?.join('; ')}`,
      ]
    )
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

/**
 * What a process says until it ends, if neither the segment nor the database could be written to or synced, which takes
 * more than one error: that is settled by opening the journal anew. The laws see to it that the next process works.
 */
const UNTIL_THE_END = /the disk did not confirm it/

/** When the trouble is over the same runtime goes on. */
async function findDead(
  runtime: Runtime,
  { isSwept = false, isLasting }: Meeting,
): Promise<readonly string[]> {
  try {
    const [result] = await runtime.run([{ id: 'x', name: 'read_file', args: { path: 'keep/.hidden' } }], {
      session: 'x',
    })
    return result?.ok === true ? [] : [`it does not go on: ${result?.content ?? 'no result'}`]
  } catch (error) {
    const mayHaveToEnd = isSwept || isLasting
    if (mayHaveToEnd && error instanceof Error && UNTIL_THE_END.test(error.message)) return []
    return [`it does not go on: ${error instanceof Error ? error.message : String(error)}`]
  }
}
