import { basename } from 'node:path'
import { verifyStore } from '../../../src/journal/chain/verify-store.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from '../faults/world/acknowledged.ts'
import { readFacts } from '../faults/world/facts.ts'
import { SESSION } from '../faults/world/script.ts'
import type { World } from '../faults/world/world.ts'
import { compareFiles, describeFiles, withoutTimes } from './describe-files.ts'
import type { Files } from './describe-files.ts'
import { isWanted, layersOf, openLayerWorld } from './layer-world.ts'
import type { LayerWorld } from './layer-world.ts'
import { untilUnused } from './until-unused.ts'
import { LOOK } from './work.ts'

/** What is known about a fault. */
export interface LayerInspection {
  readonly stage: string
  readonly acknowledged: readonly Acknowledged[]
  readonly choice: 'resume' | 'discard'
  /** Looks were forbidden, so that a landing may be refused as if somebody had changed the files; nobody ever does. */
  readonly isForbidden?: boolean
  /** What landed is not undone and done again. */
  readonly isBrief?: boolean
  /** The first command after the fault, whichever it is; else opening finishes what was left. */
  readonly next?: (world: World) => Promise<void>
}

/** Checks every promise about a command on a layer after a fault, and gives the ones that are broken. */
export async function checkLayerLaws(
  layered: LayerWorld,
  { stage, acknowledged, choice, isForbidden = false, isBrief = false, next }: LayerInspection,
): Promise<readonly string[]> {
  const { world } = layered
  const broken: string[] = []
  const blame = (law: string, faults: readonly string[]): void => {
    for (const fault of faults) broken.push(`${law}: ${fault}`)
  }
  await next?.(world)
  const runtime = await openLayerWorld(world)
  try {
    if (next === undefined) await runtime.ready()
    const { applied } = readFacts(runtime)
    blame('before or after', compareState(layered, applied, describeFiles(world.root)))
    blame('acknowledged is kept', lost(acknowledged, runtime))
    blame('nothing stays open', await closeAll(runtime, choice))
    const closed = readFacts(runtime)
    const now = describeFiles(world.root)
    blame('before or after, when all is closed', compareState(layered, closed.applied, now))
    blame(
      'a no lands nothing',
      stage === 'deny' && closed.applied > 0 && acknowledged.length > 0 ? ['it did'] : [],
    )
    blame('nobody is blamed for a change', isForbidden ? [] : staleCalls(runtime))
    if (needlessLayers(world, runtime).length > 0) await sweepInPeace(world)
    blame('no layer without need', needlessLayers(world, runtime))
    if (!isBrief) blame('undo and redo', await turn(layered, runtime, closed.applied))
    blame('the log verifies', checkLog(world))
  } finally {
    await runtime.close()
  }
  return broken
}

function compareState({ before, after }: LayerWorld, applied: number, found: Files): readonly string[] {
  if (applied === 0) return compareFiles(before, found)
  // The times are those of the command, and of its run.
  const same = [...before].filter(([path, line]) => after.get(path) === line)
  return [
    ...compareFiles(withoutTimes(after), withoutTimes(found)),
    ...same.flatMap(([path, line]) => (found.get(path) === line ? [] : [`${path}: has another time`])),
  ]
}

function lost(acknowledged: readonly Acknowledged[], runtime: Runtime): readonly string[] {
  const { settled, asked, reverts } = readFacts(runtime)
  return acknowledged.flatMap((ack) => {
    if (ack.is === 'waiting') return asked.has(ack.approval) ? [] : [`the question ${ack.approval}`]
    if (ack.is === 'reverted') return reverts.includes(ack.calls.join()) ? [] : ['the revert']
    if (ack.is === 'recovered') return []
    return settled.some(({ execution }) => execution === ack.execution)
      ? []
      : [`the result of ${ack.execution}`]
  })
}

async function closeAll(runtime: Runtime, choice: 'resume' | 'discard'): Promise<readonly string[]> {
  const waiting = await runtime.pending({ session: SESSION })
  const failed: string[] = []
  for (const question of waiting) {
    const isApproved = choice === 'resume' && isWanted(question)
    const { results } = await runtime.decide([question.id], { isApproved, session: SESSION })
    for (const result of results) if (!result.ok && isApproved) failed.push(result.error.message)
  }
  const listed = await runtime.recover({ session: SESSION })
  const doubts = listed.flatMap(({ calls }) => calls).filter(({ status }) => status === 'in_doubt')
  await runtime.recover({ session: SESSION, choice })
  const open = [
    ...(await runtime.pending({ session: SESSION })).map(({ id }) => `the question ${id}`),
    ...(await runtime.recover({ session: SESSION })).map(({ batch }) => `the batch ${batch}`),
  ]
  return [...failed, ...doubts.map(({ name, evidence }) => `${name} is in doubt: ${evidence}`), ...open]
}

/** Calls of which nothing landed because somebody else is said to have changed something; their layers are kept. */
function staleCalls(runtime: Runtime): readonly string[] {
  return [...runtime.log({ session: SESSION })].flatMap(({ entry }) =>
    entry.kind === 'settled' && entry.error?.code === 'stale_file' ? [entry.execution] : [],
  )
}

/** Layers of calls that changed nothing and are not kept for anyone, or that the log does not know. */
function needlessLayers(world: World, runtime: Runtime): readonly string[] {
  const needed = new Set([
    ...staleCalls(runtime),
    ...[...runtime.log({ session: SESSION })].flatMap(({ entry }) =>
      entry.kind === 'settled' && (entry.changes.length > 0 || entry.keptLayer === true)
        ? [entry.execution]
        : [],
    ),
  ])
  return layersOf(world)
    .map((layer) => basename(layer))
    .filter((name) => !needed.has(name))
}

/**
 * Lets the first command of a new runtime remove what dead processes left: a runtime sweeps once. What a killed process
 * started outlives it for a moment and may still write to its layer, or remove it.
 */
async function sweepInPeace(world: World): Promise<void> {
  await untilUnused(world.top)
  const runtime = await openLayerWorld(world)
  try {
    await runtime.run(LOOK, { session: 'another' })
  } finally {
    await runtime.close()
  }
}

/** Undoes and redoes what landed. */
async function turn(layered: LayerWorld, runtime: Runtime, applied: number): Promise<readonly string[]> {
  const { world, before } = layered
  if (applied === 0) {
    const redone = await runtime.redo({ session: SESSION })
    return redone.ok ? compareState(layered, 1, describeFiles(world.root)) : []
  }
  const now = describeFiles(world.root)
  const undone = await runtime.undo({ session: SESSION })
  const first = compareFiles(before, describeFiles(world.root))
  const redone = await runtime.redo({ session: SESSION })
  const second = compareFiles(now, describeFiles(world.root))
  return [
    ...[undone, redone].flatMap(({ ok, message }) => (ok ? [] : [message ?? 'refused'])),
    ...first,
    ...second,
  ]
}

function checkLog({ stateDir }: World): readonly string[] {
  const report = verifyStore(stateDir)
  return report.ok ? [] : [`session ${report.first_bad?.session ?? '?'}: ${report.first_bad?.why ?? '?'}`]
}
