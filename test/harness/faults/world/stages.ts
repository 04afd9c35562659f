import type { ToolCall } from '../../../../src/core/call.ts'
import { readResult } from './acknowledged.ts'
import { liveIn } from '../life.ts'
import { NAIVE } from '../naive.ts'
import { openWorld } from './open-world.ts'
import { SESSION } from './script.ts'
import type { Stage } from './stage.ts'
import type { World } from './world.ts'

const runBatch: Stage['act'] = async (runtime, calls, tell) => {
  await runtime.run(calls, {
    session: SESSION,
    onEvent: (event) => event.event === 'result' && tell(readResult(event.result)),
  })
}

const runWaiting: Stage['act'] = async (runtime, calls, tell) => {
  for (const result of await runtime.run(calls, { session: SESSION })) tell(readResult(result))
}

const undo: Stage['act'] = async (runtime, _calls, tell) => {
  const { ok, calls } = await runtime.undo({ session: SESSION, turn: true })
  if (ok) tell([{ is: 'reverted', calls }])
}

const redo: Stage['act'] = async (runtime, _calls, tell) => {
  const { ok, calls } = await runtime.redo({ session: SESSION })
  if (ok) tell([{ is: 'reverted', calls }])
}

const answer: Stage['act'] = async (runtime, _calls, tell) => {
  for (const { id } of await runtime.pending({ session: SESSION })) {
    const { results } = await runtime.decide([id], { isApproved: true, session: SESSION })
    for (const result of results) if (result.ok) tell(readResult(result))
  }
}

const recover: Stage['act'] = async (runtime, _calls, tell) => {
  await runtime.recover({ session: SESSION, choice: 'resume' })
  tell([{ is: 'recovered' }])
}

async function inWorld(
  world: World,
  calls: readonly ToolCall[],
  acts: readonly Stage['act'][],
  approve?: 'later',
): Promise<void> {
  const runtime = await openWorld(world, approve)
  try {
    for (const act of acts) await act(runtime, calls, () => undefined, world)
  } finally {
    await runtime.close()
  }
}

/** Lets acts run in a world until a step of a kind has come for the n-th time. */
async function interrupted(
  world: World,
  calls: readonly ToolCall[],
  before: readonly Stage['act'][],
  act: Stage['act'],
  name: string,
  nth: number,
): Promise<void> {
  await inWorld(world, calls, before)
  let seen = 0
  const { diedAt } = await liveIn(
    world,
    act,
    calls,
    undefined,
    (step) => step.name === name && ++seen === nth,
    () => undefined,
    // Every obstacle then meets one edit alone, whose fate decides what the others find.
    { 'tools.edit.group': false },
  )
  if (diedAt === null) throw new Error(`no ${nth}. ${name} was reached`)
}

const nothing: Stage['lay'] = async () => undefined

/** Every stage of a batch's life. */
export const STAGES: readonly Stage[] = [
  { name: 'a first batch', lay: nothing, act: runBatch, argv: ['batch', '--yes'] },
  {
    name: 'a batch',
    lay: (world, calls) => inWorld(world, calls.slice(0, 1), [runBatch]),
    act: runBatch,
    argv: ['batch', '--yes'],
  },
  {
    name: 'undo',
    lay: (world, calls) => inWorld(world, calls, [runBatch]),
    act: undo,
    argv: ['undo', '--turn', '--yes'],
  },
  {
    name: 'redo',
    lay: (world, calls) => inWorld(world, calls, [runBatch, undo]),
    act: redo,
    argv: ['redo', '--yes'],
  },
  { name: 'waiting', lay: nothing, act: runWaiting, approve: 'later', argv: ['batch', '--no-input'] },
  {
    name: 'answering',
    lay: (world, calls) => inWorld(world, calls, [runWaiting], 'later'),
    act: answer,
    argv: ['approve', 'all'],
  },
  {
    name: 'finishing a commit',
    lay: (world, calls) => interrupted(world, calls, [], runBatch, 'renameSync', 2),
    act: (runtime) => runtime.ready(),
    argv: ['log'],
  },
  {
    name: 'finishing an undo',
    lay: (world, calls) => interrupted(world, calls, [runBatch], undo, 'unlinkSync', 1),
    act: (runtime) => runtime.ready(),
    argv: ['pending'],
  },
  {
    name: 'recovery',
    lay: (world, calls) => interrupted(world, calls, [], runBatch, 'renameSync', 4),
    act: recover,
    argv: ['recover', '--resume'],
  },
]

/** A stage by its name. */
export function findStage(name: string): Stage {
  const stage = [...STAGES, NAIVE].find((candidate) => candidate.name === name)
  if (stage === undefined) throw new Error(`there is no stage ${name}`)
  return stage
}
