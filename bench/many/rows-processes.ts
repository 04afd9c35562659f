import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atLeast, noMoreThan, round, withLimit } from '../measure.ts'
import type { Curve, Row } from '../measure.ts'
import { makePlace } from '../place.ts'
import type { Worked } from './work-process.ts'

const COUNTS = [1, 8, 20] as const
const SECONDS = 5
/** All together they may be slower than one alone by as much as anything else may grow. */
const GOAL = 0.83

/** Row 23: what many processes on one state folder do together, against one alone, and whether any is turned away. */
export async function processRows(): Promise<readonly Row[]> {
  const results: Together[] = []
  for (const count of COUNTS) {
    const worked = await workTogether(count, SECONDS)
    const apart = await workTogether(count, SECONDS, 'apart')
    results.push({
      count,
      rate: rateOf(worked),
      apart: rateOf(apart),
      failures: worked.flatMap(({ failures }) => failures),
    })
  }
  const [alone, ...many] = results
  const failures = results.flatMap((one) => one.failures)
  const refused = noMoreThan(
    '23 calls that failed in 29 processes on one state folder',
    failures.length,
    'calls',
    0,
  )
  const curve: Curve = {
    title: 'Calls a second of all processes on one state folder',
    x: 'processes',
    y: 'calls a second in all',
    lines: [{ name: 'durability normal', points: results.map(({ count, rate }) => [count, round(rate)]) }],
  }
  return [
    ...many.map(({ count, rate, apart }, at) => ({
      ...withLimit(
        atLeast(
          `23 ${count} processes on one state folder, against one`,
          rate,
          alone?.rate ?? Number.NaN,
          'calls per second',
          GOAL,
        ),
        `as many processes that share nothing, each with a state folder of its own, make ${round(apart)} calls a second in the same run, ${round(apart / (alone?.apart ?? Number.NaN))} of what one makes`,
      ),
      ...(at === many.length - 1 ? { curve } : {}),
    })),
    failures.length === 0 ? refused : { ...refused, limit: `the first said: ${failures[0]}` },
  ]
}

/** What so many processes did. */
interface Together {
  readonly count: number
  /** Calls a second on one state folder. */
  readonly rate: number
  /** The same with a state folder for each. */
  readonly apart: number
  readonly failures: readonly string[]
}

function rateOf(worked: readonly Worked[]): number {
  return worked.reduce((sum, { calls, seconds }) => sum + calls / seconds, 0)
}

/** Lets so many processes work at the same time: on one state folder, or each on its own. */
export async function workTogether(
  count: number,
  seconds: number,
  where: 'together' | 'apart' = 'together',
): Promise<readonly Worked[]> {
  const place = makePlace()
  try {
    const script = join(import.meta.dirname, 'work-process.ts')
    const started = Array.from({ length: count }, (_, at) => {
      const args = [
        script,
        place.root,
        join(place.top, where === 'apart' ? `state${at}` : 'state'),
        `s${at}`,
        String(seconds),
      ]
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
    })
    for (const { lines } of started)
      if ((await lines.next()).value !== 'ready') throw new Error('a process did not become ready')
    for (const { child } of started) child.stdin.write('go\n')
    return await Promise.all(
      started.map(async ({ lines }) => JSON.parse(String((await lines.next()).value)) as Worked),
    )
  } finally {
    place.clean()
  }
}
