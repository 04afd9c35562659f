import type { ToolCall } from '../../../src/core/call.ts'
import { readPrinted } from './world/acknowledged.ts'
import { COUNTING, dying, isUnbegun, program, run, tongs } from './command.ts'
import type { Command, Ended } from './command.ts'
import { layStage, learnGolden } from './world/golden.ts'
import type { Golden } from './world/golden.ts'
import { checkLaws } from './world/laws.ts'
import type { Inspection } from './world/laws.ts'
import { liveThrough } from './life.ts'
import { BUILT_IN_CALLS, LIBRARY_CALLS } from './world/script.ts'
import type { Stage } from './world/stage.ts'
import { findStage, STAGES } from './world/stages.ts'
import { killAt, traceSyscalls } from './strace.ts'
import type { Syscall } from './strace.ts'
import { makeWorld } from './world/world.ts'
import type { World } from './world/world.ts'

/** A kill: which process, at which moment of its life, and what comes after it. */
export interface Kill {
  readonly stage: string
  readonly by: 'tongs' | 'library'
  readonly at:
    | { readonly is: 'step'; readonly number: number }
    | { readonly is: 'syscall'; readonly name: string; readonly nth: number }
    | { readonly is: 'time'; readonly ms: number }
  /** Decides the command that comes next, and how the batch is recovered. */
  readonly turn: number
}

/** What a kill led to. */
export interface Killed {
  readonly isKilled: boolean
  readonly broken: readonly string[]
}

/** A world of its own for kills that come one after the other. */
export interface Lane {
  readonly world: World
  readonly golden: Readonly<Record<Kill['by'], Golden>>
}

const KINDS: readonly Kill['by'][] = ['tongs', 'library']
const CALLS: Readonly<Record<Kill['by'], readonly ToolCall[]>> = {
  tongs: BUILT_IN_CALLS,
  library: LIBRARY_CALLS,
}

/** Commands that have nothing to do with what was interrupted; any of them finishes it. */
const NEXT: readonly (readonly string[])[] = [
  ['log'],
  ['recover'],
  ['pending'],
  ['stats'],
  ['audit', 'verify'],
  ['tools'],
  ['undo', '--dry-run'],
  ['call', 'list_directory', '{"path":"."}', '--session', 'another'],
]
/** Most kills are followed by this very process opening the journal, because that is quicker. */
const COMMAND_EVERY = 10
/** How a stage ends that nothing disturbs: with all of it done, or with a question that waits. */
const ENDINGS: ReadonlySet<number | null> = new Set([0, 4])

/** Makes a lane with stages laid out for one kind of process, or for both. */
export async function makeLane(
  stages: readonly Stage[] = STAGES,
  kinds: readonly Kill['by'][] = KINDS,
): Promise<Lane> {
  const world = makeWorld()
  const golden = {
    tongs: await learnGolden(world, BUILT_IN_CALLS),
    library: await learnGolden(world, LIBRARY_CALLS),
  }
  for (const by of kinds)
    for (const stage of stages) await layStage(world, stage, CALLS[by], fixtureOf(stage.name, by))
  const lane = { world, golden }
  for (const by of kinds) await runUndisturbed(lane, stages[0]?.name ?? '', by)
  return lane
}

/** Runs a process to its end, which keeps its compiled code for those that are killed and cannot. */
async function runUndisturbed({ world }: Lane, stage: string, by: Kill['by']): Promise<void> {
  world.restore(fixtureOf(stage, by))
  const { code, stderr } = await run(dying(commandOf(world, stage, by), COUNTING))
  if (!ENDINGS.has(code)) throw new Error(`${stage} ended with ${code}: ${stderr}`)
}

/** How many steps each stage has, played in this process. */
export async function countSteps(
  { world }: Lane,
  stages: readonly Stage[] = STAGES,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const by of KINDS) {
    for (const stage of stages) {
      world.restore(fixtureOf(stage.name, by))
      const { steps } = await liveThrough(world, stage, CALLS[by], () => false)
      counts.set(fixtureOf(stage.name, by), steps)
    }
  }
  return counts
}

/** What the beginning of a stage is kept as. */
export function fixtureOf(stage: string, by: Kill['by']): string {
  return `${stage} ${by}`
}

/** The system calls that the command line makes in a stage. */
export async function traceStage({ world }: Lane, stage: string): Promise<readonly Syscall[]> {
  world.restore(fixtureOf(stage, 'tongs'))
  return traceSyscalls(world, commandOf(world, stage, 'tongs'))
}

/** Kills a process, and checks every law afterwards. */
export async function kill({ world, golden }: Lane, { stage, by, at, turn }: Kill): Promise<Killed> {
  world.restore(fixtureOf(stage, by))
  const ended = await runKilled(commandOf(world, stage, by), at)
  const next = nextCommand(turn)
  const broken = await checkLaws(world, {
    golden: golden[by],
    acknowledged: readPrinted(ended.stdout),
    choice: turn % 2 === 0 ? 'resume' : 'discard',
    ...(next === undefined ? {} : { next }),
  })
  // Whoever runs under strace ends as strace ends.
  const isKilled = ended.signal === 'SIGKILL' || ended.code === 137
  const isUndisturbed = isKilled || ENDINGS.has(ended.code)
  return { isKilled, broken: isUndisturbed ? broken : [...broken, `it failed: ${ended.stderr}`] }
}

function nextCommand(turn: number): Inspection['next'] {
  const words = turn % COMMAND_EVERY === 0 ? NEXT[(turn / COMMAND_EVERY) % NEXT.length] : undefined
  if (words === undefined) return undefined
  return async (world) => {
    const ended = await run(tongs(world, words))
    const { code, stderr } = ended
    if (code !== 0 && words[0] !== 'undo' && !isUnbegun(ended))
      throw new Error(`tongs ${words.join(' ')} ended with ${code}: ${stderr}`)
  }
}

/** The process that plays a stage. */
export function commandOf(world: World, stage: string, by: Kill['by']): Command {
  return by === 'library' ? program(world, stage) : tongs(world, findStage(stage).argv, CALLS.tongs)
}

async function runKilled(command: Command, at: Kill['at']): Promise<Ended> {
  if (at.is === 'step') return run(dying(command, at.number))
  if (at.is === 'syscall') return killAt(command, at)
  return run(command, (text, end) => {
    if (text.includes('ready')) setTimeout(end, at.ms)
  })
}

/** A kill in words that can be given back to be done again. */
export function spell({ stage, by, at, turn }: Kill): string {
  const moment = at.is === 'step' ? at.number : at.is === 'time' ? at.ms : `${at.name}#${at.nth}`
  return [stage, by, at.is, moment, turn].join('|')
}

/** Reads the words again. */
export function unspell(text: string): Kill {
  const [stage = '', by, is, moment = '', turn] = text.split('|')
  const [name = '', nth] = moment.split('#')
  const at: Kill['at'] =
    is === 'step'
      ? { is, number: Number(moment) }
      : is === 'time'
        ? { is, ms: Number(moment) }
        : { is: 'syscall', name, nth: Number(nth) }
  return { stage, by: by === 'library' ? by : 'tongs', at, turn: Number(turn) }
}
