import type { ToolCall } from '../../../../src/core/call.ts'
import { verifyStore } from '../../../../src/journal/chain/verify-store.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './acknowledged.ts'
import { readFacts } from './facts.ts'
import type { Facts } from './facts.ts'
import type { Golden } from './golden.ts'
import { openWorld } from './open-world.ts'
import { SESSION } from './script.ts'
import { compareTrees, readTree } from './tree.ts'
import type { Tree } from './tree.ts'
import { readMarks } from './world.ts'
import type { World } from './world.ts'

/** How the laws are checked. */
export interface Inspection {
  readonly golden: Golden
  readonly acknowledged: readonly Acknowledged[]
  /** The first command after the fault, whichever it is: it finishes what was left half done. Else opening does. */
  readonly next?: (world: World) => Promise<void>
  readonly choice: 'resume' | 'discard'
  /** Only what holds at once is checked: the tree, what was acknowledged, the log. */
  readonly isBrief?: boolean
  /** Calls that are to work from the beginning when all is over. */
  readonly again?: readonly ToolCall[]
}

/** Checks every promise about a world after a fault, and gives the ones that are broken. */
export async function checkLaws(world: World, inspection: Inspection): Promise<readonly string[]> {
  const broken: string[] = []
  const blame = (law: string, faults: readonly string[]): void => {
    for (const fault of faults) broken.push(`${law}: ${fault}`)
  }
  await inspection.next?.(world)
  let runtime = await openWorld(world)
  try {
    if (inspection.next === undefined) await runtime.ready()
    const found = readFacts(runtime)
    blame('before or after', compareTrees(treeAfter(found, inspection), readTree(world.root)))
    blame(
      'acknowledged is after',
      inspection.acknowledged.flatMap((ack) => checkAcknowledged(ack, found)),
    )
    blame('the log verifies', checkLog(world))
    blame('at most one start', twice(readMarks(world)))
    blame('one result per call', twice(found.settled.map(({ execution }) => execution)))
    if (inspection.isBrief !== true) blame('nothing stays open', await closeAll(runtime, inspection))
  } finally {
    await runtime.close()
  }
  if (inspection.isBrief === true) return broken
  runtime = await openWorld(world)
  try {
    const closed = readFacts(runtime)
    blame(
      'before or after, when all is closed',
      compareTrees(treeAfter(closed, inspection), readTree(world.root)),
    )
    blame(
      'one result per call',
      closed.declared.filter((call) => !closed.settled.some(({ execution }) => execution === call)),
    )
    blame('at most one start', twice(readMarks(world)))
    blame('undo gives the old tree back', await undoAll(world, runtime, closed.applied, inspection))
    blame('it works again', await workAgain(world, runtime, closed.applied, inspection))
    blame('the log verifies', checkLog(world))
  } finally {
    await runtime.close()
  }
  return broken
}

function treeAfter({ applied }: Facts, { golden }: Inspection): Tree {
  return (
    golden[applied] ??
    new Map([['the log', `speaks of ${applied} edits, and the script has ${golden.length - 1}`]])
  )
}

function checkAcknowledged(ack: Acknowledged, facts: Facts): readonly string[] {
  if (ack.is === 'result' || ack.is === 'in_doubt') {
    // What was in doubt is put in place or taken back later.
    const isKnown = facts.settled.some(
      ({ execution, ok }) =>
        execution === ack.execution && (ack.is === 'in_doubt' || ok === (ack.code === null)),
    )
    return isKnown ? [] : [`the result of ${ack.execution} is lost`]
  }
  if (ack.is === 'waiting')
    return facts.asked.has(ack.approval) ? [] : [`the question ${ack.approval} is lost`]
  if (ack.is === 'reverted') return facts.reverts.includes(ack.calls.join()) ? [] : ['the revert is lost']
  return facts.declared.length === facts.settled.length ? [] : ['what was recovered is open again']
}

function checkLog(world: World): readonly string[] {
  const report = verifyStore(world.stateDir)
  return report.ok ? [] : [`session ${report.first_bad?.session ?? '?'}: ${report.first_bad?.why ?? '?'}`]
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) < index)
}

/** Answers what waits and closes what was interrupted; afterwards there is nothing of either. */
async function closeAll(runtime: Runtime, { choice }: Inspection): Promise<readonly string[]> {
  const waiting = await runtime.pending({ session: SESSION })
  if (waiting.length > 0) await runtime.decide('all', { isApproved: true, session: SESSION })
  const listed = await runtime.recover({ session: SESSION })
  const inDoubt = listed.flatMap(({ calls }) => calls).filter(({ status }) => status === 'in_doubt')
  await runtime.recover({ session: SESSION, choice })
  const stillWaiting = (await runtime.pending({ session: SESSION })).map(({ id }) => `the question ${id}`)
  const stillOpen = (await runtime.recover({ session: SESSION })).map(({ batch }) => `the batch ${batch}`)
  return [
    ...inDoubt.map(({ name, evidence }) => `${name} is in doubt: ${evidence}`),
    ...stillWaiting,
    ...stillOpen,
  ]
}

async function undoAll(
  world: World,
  runtime: Runtime,
  applied: number,
  { golden }: Inspection,
): Promise<readonly string[]> {
  if (applied === 0) return []
  const undone = await runtime.undo({ session: SESSION, last: applied })
  const faults = [
    ...(undone.ok ? [] : [undone.message ?? 'refused']),
    ...compareTrees(golden[0] ?? new Map(), readTree(world.root)),
  ]
  if (faults.length > 0) return faults
  const redone = await runtime.redo({ session: SESSION })
  const after = compareTrees(golden[applied] ?? new Map(), readTree(world.root)).map(
    (fault) => `redo: ${fault}`,
  )
  return redone.ok ? after : [redone.message ?? 'redo was refused']
}

/** From the old tree on, the whole script runs once more. */
async function workAgain(
  world: World,
  runtime: Runtime,
  applied: number,
  { golden, again }: Inspection,
): Promise<readonly string[]> {
  if (again === undefined) return []
  if (applied > 0) await runtime.undo({ session: SESSION, last: applied })
  const results = await runtime.run(again, { session: SESSION })
  const failed = results.flatMap((result) => (result.ok ? [] : [`${result.name}: ${result.content}`]))
  return [...failed, ...compareTrees(golden.at(-1) ?? new Map(), readTree(world.root))]
}
