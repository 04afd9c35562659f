import { COUNTING, dying, isUnbegun, run, tongs } from '../faults/command.ts'
import type { Command, Ended } from '../faults/command.ts'
import { describeBroken, repeated } from '../faults/repeat.ts'
import { killAt, traceSyscalls } from '../faults/strace.ts'
import type { Syscall } from '../faults/strace.ts'
import { readPrinted } from '../faults/world/acknowledged.ts'
import { inLanes } from '../faults/world/lanes.ts'
import { seeded, spread } from '../faults/world/random.ts'
import type { World } from '../faults/world/world.ts'
import { checkLayerLaws } from './layer-laws.ts'
import { LAYER_STAGES, layLayerStage, makeLayerWorld } from './layer-world.ts'
import type { LayerStage, LayerWorld } from './layer-world.ts'
import { WIDE } from './work.ts'
import { shuffled } from '../long-run.ts'
import { say } from '../say.ts'

/** A moment at which the process of a stage is killed. */
type Moment =
  | { readonly is: 'step'; readonly number: number }
  | { readonly is: 'syscall'; readonly name: string; readonly nth: number }
  | { readonly is: 'time'; readonly ms: number }

/** A kill, and what decides how things go on after it. */
interface LayerKill {
  readonly stage: LayerStage
  readonly at: Moment
  readonly turn: number
}

/** What many kills came to. */
export interface LayerKills {
  readonly kills: number
  readonly byStage: Readonly<Record<string, number>>
  /** How many were killed at a step, at a system call and at any time. */
  readonly byMoment: Readonly<Record<string, number>>
  /** At how many different moments. */
  readonly moments: number
  readonly broken: readonly string[]
}

/** What can be known beforehand about a stage. */
interface Learned {
  readonly stage: LayerStage
  readonly steps: number
  readonly syscalls: readonly Syscall[]
  readonly ms: number
}

const KIND = 'layer-kill'
const LANES = 2
const TELL_EVERY = 50
const ENOUGH_BROKEN = 10
/** Finding the system calls of every stage, and a second lane, take as long as many kills. */
const WORTH_TRACING = 200
/** Any of them finishes what was interrupted. */
const NEXT: readonly (readonly string[])[] = [['log'], ['pending'], ['recover'], ['audit', 'verify']]
const NEXT_EVERY = 7

/** The command of a stage. */
export function commandOf(world: World, { argv }: LayerStage): Command {
  return tongs(world, argv, WIDE.calls)
}

/** Kills so many processes, spread over the stages and their steps, and checks every law after each. */
export async function killLayers(
  count: number,
  seed: number,
  file: string,
  stages: readonly LayerStage[] = LAYER_STAGES,
): Promise<LayerKills> {
  const again = repeated(KIND)
  const lanes: LayerWorld[] = []
  try {
    for (let lane = 0; lane < (again === null && count >= WORTH_TRACING ? LANES : 1); lane++)
      lanes.push(await makeLayerWorld())
    const [first] = lanes
    if (first === undefined) throw new Error('no lane')
    if (again !== null) return await killIn(lanes, [unspell(again)], file)
    const learned: Learned[] = []
    for (const stage of stages) learned.push(await learn(first.world, stage, count >= WORTH_TRACING))
    return await killIn(lanes, chooseKills(learned, count, seed), file)
  } finally {
    for (const { world } of lanes) world.remove()
  }
}

async function learn(world: World, stage: LayerStage, isTraced: boolean): Promise<Learned> {
  await layLayerStage(world, stage)
  const started = Date.now()
  const { stderr } = await run(dying(commandOf(world, stage), COUNTING))
  const ms = Date.now() - started
  const steps = Number(new RegExp(`${COUNTING} (\\d+)`).exec(stderr)?.[1] ?? 0)
  if (steps === 0) throw new Error(`${stage.name} has no steps: ${stderr}`)
  if (!isTraced) return { stage, steps, syscalls: [], ms }
  await layLayerStage(world, stage)
  const syscalls = (await traceSyscalls(world, commandOf(world, stage))).filter(
    ({ name }) => name !== 'openat',
  )
  return { stage, steps, syscalls, ms }
}

/** Most at steps, the others at system calls and at any time. */
function chooseKills(learned: readonly Learned[], count: number, seed: number): readonly LayerKill[] {
  const random = seeded(seed)
  const each = Math.ceil((count * 1.05) / learned.length)
  const kills = learned.flatMap(({ stage, steps, syscalls, ms }) => {
    const others = Math.ceil(each / 8)
    const numbers = Array.from({ length: steps }, (_, at) => at + 1)
    const wanted = each - (syscalls.length === 0 ? 1 : 2) * others
    const atSteps = Array.from({ length: Math.ceil(wanted / steps) }, () => numbers).flat()
    const moments: Moment[] = [
      ...spread(atSteps, wanted, random).map((number) => ({ is: 'step' as const, number })),
      ...spread(syscalls, others, random).map(({ name, nth }) => ({ is: 'syscall' as const, name, nth })),
      ...Array.from({ length: others }, () => ({
        is: 'time' as const,
        ms: Math.round((0.2 + 0.8 * random()) * ms),
      })),
    ]
    return moments.map((at) => ({ stage, at }))
  })
  // Mixed, so that a run that is ended early has met every stage.
  return shuffled(kills, (limit) => Math.floor(random() * limit)).map((kill, turn) => ({ ...kill, turn }))
}

async function killIn(
  lanes: readonly LayerWorld[],
  jobs: readonly LayerKill[],
  file: string,
): Promise<LayerKills> {
  const byStage: Record<string, number> = {}
  const byMoment: Record<string, number> = {}
  const moments = new Set<string>()
  const broken: string[] = []
  let kills = 0
  await inLanes(lanes, jobs, async (lane, job) => {
    const { isKilled, broken: found } = await killOne(lane, job)
    const described = describeBroken(spell(job), file, found)
    broken.push(...described)
    // A long run tells at once.
    for (const text of described) say(text)
    if (isKilled) {
      kills++
      byStage[job.stage.name] = (byStage[job.stage.name] ?? 0) + 1
      byMoment[job.at.is] = (byMoment[job.at.is] ?? 0) + 1
      moments.add(spell({ ...job, turn: 0 }))
      if (kills % TELL_EVERY === 0) say(`${kills} of ${jobs.length} killed, ${JSON.stringify(byStage)}`)
    }
    return broken.length > ENOUGH_BROKEN ? 'enough' : 'more'
  })
  return { kills, byStage, byMoment, moments: moments.size, broken }
}

async function killOne(layered: LayerWorld, { stage, at, turn }: LayerKill) {
  const { world } = layered
  await layLayerStage(world, stage)
  const ended = await runKilled(commandOf(world, stage), at)
  const isKilled = ended.signal === 'SIGKILL' || ended.code === 137
  const next = turn % NEXT_EVERY === 0 ? nextCommand(turn / NEXT_EVERY) : undefined
  const broken = await checkLayerLaws(layered, {
    stage: stage.name,
    acknowledged: readPrinted(ended.stdout),
    choice: turn % 2 === 0 ? 'resume' : 'discard',
    ...(next === undefined ? {} : { next }),
  }).catch((error: unknown) => [`it cannot go on: ${String(error)}`])
  const isFine =
    isKilled || ended.code === 0 || ended.code === 4 || (stage.name === 'deny' && ended.code === 3)
  return {
    isKilled,
    broken: isFine ? broken : [...broken, `it failed with ${ended.code}: ${ended.stderr} ${ended.stdout}`],
  }
}

function nextCommand(number: number): (world: World) => Promise<void> {
  const words = NEXT[number % NEXT.length] ?? ['log']
  return async (world) => {
    const ended = await run(tongs(world, words))
    const { code, stderr } = ended
    if (code !== 0 && !isUnbegun(ended))
      throw new Error(`tongs ${words.join(' ')} ended with ${code}: ${stderr}`)
  }
}

async function runKilled(command: Command, at: Moment): Promise<Ended> {
  if (at.is === 'step') return run(dying(command, at.number))
  if (at.is === 'syscall') return killAt(command, at)
  return run(command, undefined, at.ms)
}

function spell({ stage, at, turn }: LayerKill): string {
  const moment = at.is === 'step' ? at.number : at.is === 'time' ? at.ms : `${at.name}#${at.nth}`
  return [KIND, stage.name, at.is, moment, turn].join('|')
}

function unspell(text: string): LayerKill {
  const [stageName, is, moment = '', turn] = text.split('|')
  const stage = LAYER_STAGES.find(({ name }) => name === stageName)
  if (stage === undefined) throw new Error(`there is no stage ${stageName}`)
  const [name = '', nth] = moment.split('#')
  const at: Moment =
    is === 'step'
      ? { is, number: Number(moment) }
      : is === 'time'
        ? { is, ms: Number(moment) }
        : { is: 'syscall', name, nth: Number(nth) }
  return { stage, at, turn: Number(turn) }
}
