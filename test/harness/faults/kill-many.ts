import { availableParallelism } from 'node:os'
import { countSteps, fixtureOf, kill, makeLane, spell, traceStage, unspell } from './kills.ts'
import type { Kill, Lane } from './kills.ts'
import { inLanes } from './world/lanes.ts'
import { seeded } from './world/random.ts'
import { describeBroken, repeated } from './repeat.ts'
import type { Stage } from './world/stage.ts'
import { STAGES } from './world/stages.ts'
import type { Syscall } from './strace.ts'

/** What many kills came to. */
export interface Massacre {
  readonly kills: number
  /** Processes that came to their end before they could be killed; the laws hold for them too. */
  readonly survivors: number
  readonly byStage: Readonly<Record<string, number>>
  readonly broken: readonly string[]
}

/** As long as the act of a stage takes, roughly; killing later would only meet processes that have ended. */
const LONGEST_MS: Readonly<Record<string, number>> = {
  'a first batch': 120,
  'a batch': 100,
  waiting: 100,
  answering: 110,
}
const SHORT_MS = 25
/** While one process is waited for, others are at work. */
const LANES = availableParallelism() + 1
/** Tracing every stage, and a second lane, take as long as many kills. */
const WORTH_TRACING = 50
/** More of them would not tell more. */
const ENOUGH_BROKEN = 20

/** Kills so many processes, at moments that the seed decides, and checks every law after each. */
export async function killMany(
  count: number,
  seed: number,
  file: string,
  stages: readonly Stage[] = STAGES,
): Promise<Massacre> {
  const again = repeated('kill')
  const lanes: Lane[] = []
  try {
    const wanted = again !== null || count < WORTH_TRACING ? 1 : LANES
    for (let index = 0; index < wanted; index++) lanes.push(await makeLane(again === null ? stages : STAGES))
    const jobs = again === null ? await learnKills(lanes, count, seed, stages) : [unspell(again)]
    return await killIn(lanes, jobs, count, file)
  } finally {
    for (const { world } of lanes) world.remove()
  }
}

async function killIn(
  lanes: readonly Lane[],
  jobs: Iterable<Kill>,
  count: number,
  file: string,
): Promise<Massacre> {
  const byStage: Record<string, number> = {}
  const broken: string[] = []
  let kills = 0
  let survivors = 0
  await inLanes(lanes, jobs, async (lane, job) => {
    const killed = await kill(lane, job)
    broken.push(...describeBroken(`kill|${spell(job)}`, file, killed.broken))
    if (killed.isKilled) {
      kills++
      byStage[job.stage] = (byStage[job.stage] ?? 0) + 1
    } else survivors++
    return kills >= count || broken.length > ENOUGH_BROKEN ? 'enough' : 'more'
  })
  return { kills, survivors, byStage, broken }
}

/** The moments at which a process can be killed, by stage. */
interface Moments {
  readonly steps: ReadonlyMap<string, number>
  readonly syscalls: ReadonlyMap<string, readonly Syscall[]>
}

async function learnKills(
  [lane]: readonly Lane[],
  count: number,
  seed: number,
  stages: readonly Stage[],
): Promise<Iterable<Kill>> {
  if (lane === undefined) throw new Error('no lane')
  // The system calls of all stages are looked for, or those of another one in every short run.
  const traced = count >= WORTH_TRACING ? stages : stages.filter((_, at) => at === seed % stages.length)
  return chooseKills(await learnMoments(lane, stages, traced), seed, stages)
}

async function learnMoments(
  lane: Lane,
  stages: readonly Stage[],
  traced: readonly Stage[],
): Promise<Moments> {
  const syscalls = new Map<string, readonly Syscall[]>()
  for (const { name } of traced) {
    // Opening changes nothing that the next call would not show as well.
    syscalls.set(
      name,
      (await traceStage(lane, name)).filter((call) => call.name !== 'openat'),
    )
  }
  return { steps: await countSteps(lane, stages), syscalls }
}

const SYSCALL = 9
const WAYS = 10

/** One after the other in a long run, where each comes; a short one kills once at a step, and then in any way. */
function wayOf(round: number, random: () => number): number {
  return round % WAYS === 1 ? Math.floor(random() * WAYS) : round % WAYS
}

/** Stage after stage, in every way a process can be killed; without end. */
function* chooseKills({ steps, syscalls }: Moments, seed: number, stages: readonly Stage[]): Generator<Kill> {
  const random = seeded(seed)
  for (let turn = 0; ; turn++) {
    const stage = stages[turn % stages.length]?.name ?? ''
    const way = wayOf(Math.floor(turn / stages.length), random)
    const by = turn % 2 === 0 ? 'tongs' : 'library'
    const calls = syscalls.get(stage) ?? []
    const call = calls[Math.floor(random() * calls.length)]
    if (way === SYSCALL && call !== undefined)
      yield { stage, by: 'tongs', at: { is: 'syscall', ...call }, turn }
    else if (way % 3 === 2)
      yield {
        stage,
        by: 'library',
        at: { is: 'time', ms: Math.round(random() * (LONGEST_MS[stage] ?? SHORT_MS)) },
        turn,
      }
    else
      yield {
        stage,
        by,
        at: { is: 'step', number: 1 + Math.floor(random() * (steps.get(fixtureOf(stage, by)) ?? 1)) },
        turn,
      }
  }
}
