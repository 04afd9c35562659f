import { hash } from 'node:crypto'
import { recordEndings } from '../endings.ts'
import { TROUBLES, troublesOf } from '../failing.ts'
import type { Meeting } from '../failing.ts'
import { FOLDER_LEFT, meetTrouble, STOPPING } from '../troubles.ts'
import { layStage, learnGolden } from '../world/golden.ts'
import type { Golden } from '../world/golden.ts'
import { checkLaws } from '../world/laws.ts'
import { openWorld } from '../world/open-world.ts'
import { putBack } from '../world/snapshot.ts'
import type { Stage } from '../world/stage.ts'
import { watchSteps } from '../world/steps.ts'
import type { Step } from '../world/watching.ts'
import { makeWorld } from '../world/world.ts'
import type { World } from '../world/world.ts'
import { countCalls } from './call-key.ts'
import { SWEPT_CALLS } from './operations.ts'

/** What happened at one call of an operation. */
export interface Outcome {
  /** What repeats it: `openSync~3f2a90c1~1|EIO|lasting`, or `12|death`. */
  readonly fault: string
  /** The call that was met; null where it did not come. */
  readonly call: string | null
  readonly broken: readonly string[]
  /** Empty folders that the system refused to remove, and that stay. */
  readonly stayed?: number
  /** Nothing had changed since a death that was looked at. */
  readonly isSame?: true
}

/** An operation that is swept: its calls, and everything that can happen at each of them. */
export interface Swept {
  readonly steps: readonly Step[]
  /** How many deaths, or errors, there are to be tried. */
  readonly trials: number
  readonly play: (choice: Choice) => AsyncGenerator<Outcome>
  readonly remove: () => void
}

/** Which disturbances are tried. */
export interface Choice {
  /** The part of all of them, such as 3 of 8. */
  readonly slice: number
  readonly slices: number
  /** Only those at calls that fit. */
  readonly at: RegExp
  /** Only this one. */
  readonly fault: string | null
}

/** Whether a disturbance is chosen. */
export function isChosen(choice: Choice, fault: string, number: number, step: Step | undefined): boolean {
  if (choice.fault !== null) return choice.fault === fault
  return number % choice.slices === choice.slice && choice.at.test(`${step?.name} ${step?.target}`)
}

/** The number of an error, which is the same however many come before it: a process may make a call more than another. */
export function numberOf(fault: string): number {
  return hash('sha256', fault, 'buffer').readUInt32BE()
}

/** One of so many is followed to the very end: everything closed, undone, done again and once more. */
export const FOLLOWED_EVERY = 6

/** Prepares the sweep of an operation. */
export async function openSweep(stage: Stage, kind: 'deaths' | 'errors'): Promise<Swept> {
  const world = makeWorld()
  const golden = await learnGolden(world, SWEPT_CALLS)
  await layStage(world, stage, SWEPT_CALLS)
  const { steps, untilClosing } = await listSteps(world, stage)
  const lane = { world, golden, stage, steps }
  const errors = listErrors(steps, untilClosing)
  return {
    steps,
    trials: kind === 'deaths' ? steps.length : errors.length,
    play: (choice) => (kind === 'deaths' ? die(lane, choice) : fail(lane, errors, choice)),
    remove: world.remove,
  }
}

interface SweepLane {
  readonly world: World
  readonly golden: Golden
  readonly stage: Stage
  readonly steps: readonly Step[]
}

interface Listed {
  readonly steps: readonly Step[]
  /** How many of them come before the runtime is closed. */
  readonly untilClosing: number
}

async function listSteps(world: World, stage: Stage): Promise<Listed> {
  let steps: Step[] = []
  let untilClosing = 0
  // The second time, what a process finds out once is known.
  for (let time = 0; time < 2; time++) {
    world.restore(stage.name)
    steps = []
    await watchSteps(
      (step) => {
        steps.push(step)
        return null
      },
      async () => {
        // As it is when trouble is met.
        const runtime = await openWorld(world, stage.approve, STOPPING)
        await stage.act(runtime, SWEPT_CALLS, () => undefined, world)
        untilClosing = steps.length
        await runtime.close()
      },
      'all',
    )
  }
  return { steps, untilClosing }
}

/** Every error of every call, once and lasting. */
export function listErrors(steps: readonly Step[], untilClosing = Infinity): readonly SweptError[] {
  const nameOf = countCalls()
  return steps.flatMap((step, index) => {
    const at = nameOf(step)
    return TROUBLES.filter((trouble) => troublesOf(step).includes(trouble)).flatMap((trouble) =>
      [false, true].map((isLasting) => ({
        step: index + 1,
        at,
        trouble,
        isLasting,
        isAtEnd: index >= untilClosing,
        reach: 'all' as const,
        fault: `${at}|${trouble}|${isLasting ? 'lasting' : 'once'}`,
      })),
    )
  })
}

/** An error at a call, with what repeats it. */
export interface SweptError extends Meeting {
  readonly fault: string
}

const TIMES = 3

/** Tries again if the call did not come: what did not happen is not covered. */
export async function untilMet<T extends { readonly hit: Step | null }>(meet: () => Promise<T>): Promise<T> {
  let met = await meet()
  for (let time = 1; met.hit === null && time < TIMES; time++) met = await meet()
  return met
}

async function* fail(
  { world, golden, stage, steps }: SweepLane,
  errors: readonly SweptError[],
  choice: Choice,
): AsyncGenerator<Outcome> {
  for (const [at, meeting] of errors.entries()) {
    const { fault } = meeting
    if (!isChosen(choice, fault, numberOf(fault), steps[meeting.step - 1])) continue
    const isBrief = choice.fault === null && at % FOLLOWED_EVERY !== 0
    const trouble = { ...meeting, isBrief, isSwept: true }
    const { hit, broken } = await untilMet(async () => {
      world.restore(stage.name)
      return meetTrouble(world, stage, SWEPT_CALLS, golden, trouble).catch((error: unknown) => ({
        hit: steps[meeting.step - 1] ?? null,
        broken: cannotGoOn(error),
      }))
    })
    yield { fault, call: hit?.name ?? null, ...judge(`at ${hit?.name} ${hit?.target}`, broken) }
  }
}

async function* die({ world, golden, stage }: SweepLane, choice: Choice): AsyncGenerator<Outcome> {
  world.restore(stage.name)
  const seen = new Set<string>()
  for (const ending of await recordEndings(world, stage, SWEPT_CALLS, 'all')) {
    const { left, step, diedAt, acknowledged } = ending
    const fault = `${step}|death`
    const call = diedAt?.name ?? 'the end'
    const key = JSON.stringify([left.key, acknowledged])
    const isSame = seen.has(key)
    seen.add(key)
    if (isSame && choice.fault === null) yield { fault, call, broken: [], isSame }
    else if (isChosen(choice, fault, seen.size, diedAt ?? undefined)) {
      putBack(world, left)
      const isBrief = choice.fault === null && seen.size % FOLLOWED_EVERY !== 0
      const inspection = {
        golden,
        acknowledged,
        choice: step % 2 === 0 ? 'resume' : 'discard',
        isBrief,
      } as const
      const broken = await checkLaws(world, inspection).catch(cannotGoOn)
      yield { fault, call, ...judge(`died at ${call} ${diedAt?.target}`, broken) }
    }
  }
}

const cannotGoOn = (error: unknown): readonly string[] => [`it cannot go on: ${String(error)}`]

/** What is broken, and how many empty folders stayed: the system was asked to remove them, and refused. */
export function judge(where: string, laws: readonly string[]): Pick<Outcome, 'broken' | 'stayed'> {
  const broken = laws.filter((law) => !FOLDER_LEFT.test(law)).map((law) => `${where}: ${law}`)
  return laws.length === broken.length ? { broken } : { broken, stayed: 1 }
}
