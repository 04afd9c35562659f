import type { Runtime } from '../../src/index.ts'
import { atMost, cpuClock, round, timeInTurns, withLimit } from '../measure.ts'
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
    // The same without a database says what of it is keeping so many calls at once.
    const inMemory = await place.open()
    const works = Object.fromEntries(
      COUNTS.flatMap((count) => [
        [String(count), () => callAll(runtime, count)],
        [`memory ${count}`, () => callAll(inMemory, count)],
      ]),
    )
    const times = await timeInTurns(works, { rounds: 15, runs: 2, warmUp: 8, clock: cpuClock })
    await inMemory.close()
    await runtime.close()
    const costOf = (count: number): number => (times[String(count)] ?? Number.NaN) / CALLS
    const curve: Curve = {
      title: 'Cost of a call and the number of sessions in one process',
      x: 'sessions at once',
      y: 'µs of CPU a call',
      lines: [{ name: 'durability normal', points: COUNTS.map((count) => [count, round(costOf(count))]) }],
    }
    const memoryOf = (count: number): number => (times[`memory ${count}`] ?? Number.NaN) / CALLS
    const rows = COUNTS.slice(1).map((count) =>
      withLimit(
        atMost(
          `22 a call among ${count} sessions at once, against one session, CPU`,
          costOf(count),
          costOf(1),
          'us per call',
          GOAL,
        ),
        sayLimit({ one: costOf(1), many: costOf(count) }, { one: memoryOf(1), many: memoryOf(count) }, count),
      ),
    )
    return rows.map((row, at) => (at === rows.length - 1 ? { ...row, curve } : row))
  } finally {
    place.clean()
  }
}

/** What one call costs alone and among many. */
interface Costs {
  readonly one: number
  readonly many: number
}

/** Which part of what many sessions add is there without a database. */
export function sayLimit(all: Costs, memory: Costs, count: number): string {
  return `with the journal in memory, in the same run, a call of one session takes ${round(memory.one)} us and one of ${count} at once ${round(memory.many)}: keeping so many calls at once adds ${round(memory.many - memory.one)} us, and the journal on disk, where each session has a place of its own in every table, ${round(all.many - all.one - (memory.many - memory.one))}`
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
