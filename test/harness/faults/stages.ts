import * as fs from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { readResult } from './acknowledged.ts'
import type { Acknowledged } from './acknowledged.ts'
import { openWorld } from './laws.ts'
import type { Golden } from './laws.ts'
import { liveUntil } from './mortal.ts'
import type { Life } from './mortal.ts'
import type { Step } from './steps.ts'
import { layFiles, SESSION } from './script.ts'
import { readTree } from './tree.ts'
import type { Tree } from './tree.ts'
import { copyAll } from './world.ts'
import type { World } from './world.ts'

/** Something that is done to a world, to be interrupted at any moment. */
export interface Stage {
  readonly name: string
  /** Brings a world with nothing but its files to where the stage begins. */
  readonly lay: (world: World, calls: readonly ToolCall[]) => Promise<void>
  readonly act: (
    runtime: Runtime,
    calls: readonly ToolCall[],
    tell: (ack: readonly Acknowledged[]) => void,
  ) => Promise<void>
  readonly approve?: 'later'
  /** The same on the command line, with the calls on stdin. */
  readonly argv: readonly string[]
}

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
    for (const act of acts) await act(runtime, calls, () => undefined)
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
  const stage = STAGES.find((candidate) => candidate.name === name)
  if (stage === undefined) throw new Error(`there is no stage ${name}`)
  return stage
}

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

async function liveIn(
  world: World,
  act: Stage['act'],
  calls: readonly ToolCall[],
  approve: 'later' | undefined,
  isFatal: (step: Step, number: number) => boolean,
  tell: (told: readonly Acknowledged[]) => void,
): Promise<Life> {
  const left = join(world.top, 'state-at-death')
  fs.rmSync(left, { recursive: true, force: true })
  let isDead = false
  let runtime: Runtime | null = null
  const life = await liveUntil(
    isFatal,
    () => {
      isDead = true
      if (fs.existsSync(world.stateDir)) copyAll(world.stateDir, left)
    },
    async () => {
      runtime = await openWorld(world, approve)
      await act(runtime, calls, (told) => {
        if (!isDead) tell(told)
      })
      await runtime.close()
    },
  )
  if (life.diedAt === null) return life
  await (runtime as Runtime | null)?.close().catch(() => undefined)
  fs.rmSync(world.stateDir, { recursive: true, force: true })
  if (fs.existsSync(left)) fs.renameSync(left, world.stateDir)
  return life
}

/** Lays out the files, and learns from an undisturbed run what the workspace looks like after each edit. */
export async function learnGolden(world: World, calls: readonly ToolCall[]): Promise<Golden> {
  layFiles(world.root)
  world.save('files')
  const trees: Tree[] = [readTree(world.root)]
  const runtime = await openWorld(world)
  try {
    await runtime.run(calls, {
      session: SESSION,
      onEvent: ({ event }) => {
        if (event !== 'result') return
        const now = readTree(world.root)
        if (JSON.stringify([...now]) !== JSON.stringify([...(trees.at(-1) ?? [])])) trees.push(now)
      },
    })
  } finally {
    await runtime.close()
  }
  world.restore('files')
  return trees
}

/** Brings a world to the beginning of a stage, and keeps it there under the stage's name. */
export async function layStage(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  name = stage.name,
): Promise<void> {
  world.restore('files')
  await stage.lay(world, calls)
  world.save(name)
}
