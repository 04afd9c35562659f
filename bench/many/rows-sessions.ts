import type { Runtime } from '../../src/index.ts'
import { atMost, cpuClock, round, timeInTurns } from '../measure.ts'
import type { Curve, Row } from '../measure.ts'
import { makePlace } from '../place.ts'

const COUNTS = [1, 16, 64, 256] as const
/** So many calls are made in each run, whatever the number of sessions. */
const CALLS = 256
const GOAL = 1.2

/** Row 22: what a call costs where many sessions of one process make theirs at once, against one session. */
export async function sessionRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const runtime = await place.open({ durability: 'normal' })
    const works = Object.fromEntries(COUNTS.map((count) => [String(count), () => callAll(runtime, count)]))
    const times = await timeInTurns(works, { rounds: 15, runs: 2, warmUp: 8, clock: cpuClock })
    await runtime.close()
    const costOf = (count: number): number => (times[String(count)] ?? Number.NaN) / CALLS
    const curve: Curve = {
      title: 'Cost of a call and the number of sessions in one process',
      x: 'sessions at once',
      y: 'µs of CPU a call',
      lines: [{ name: 'durability normal', points: COUNTS.map((count) => [count, round(costOf(count))]) }],
    }
    const rows = COUNTS.slice(1).map((count) =>
      atMost(
        `22 a call among ${count} sessions at once, against one session, CPU`,
        costOf(count),
        costOf(1),
        'us per call',
        GOAL,
      ),
    )
    return rows.map((row, at) => (at === rows.length - 1 ? { ...row, curve } : row))
  } finally {
    place.clean()
  }
}

/** Calls in all sessions at once, over and over; each result has to be that of its own call. */
export async function callAll(runtime: Pick<Runtime, 'run'>, sessions: number): Promise<void> {
  for (let turn = 0; turn < CALLS / sessions; turn++) {
    const call = async (session: number): Promise<void> => {
      const id = `c${turn}`
      const [result] = await runtime.run([{ id, name: 'trivial', args: { a: session, b: turn } }], {
        session: `s${session}`,
      })
      const sum = result?.ok === true ? (result.result as { readonly sum?: number }).sum : undefined
      if (sum !== session + turn || result?.id !== id)
        throw new Error(`session ${session} was answered ${JSON.stringify(result)}`)
    }
    await Promise.all(Array.from({ length: sessions }, (_, session) => call(session)))
  }
}
