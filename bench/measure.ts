/** One row of the results. */
export interface Row {
  readonly name: string
  readonly ours: number
  /** Null where there is nothing to compare with. */
  readonly baseline: number | null
  readonly unit: string
  readonly ratio: number | null
  readonly goal: string
  readonly met: boolean
  /** For a goal that is missed: what holds it back, as measured. */
  readonly limit?: string
  /** How the figure came about, for a plot. */
  readonly curve?: Curve
}

/** How something depends on something else, as one line or several. */
export interface Curve {
  readonly title: string
  /** What the axes show, with units. */
  readonly x: string
  readonly y: string
  readonly lines: readonly {
    readonly name: string
    readonly points: readonly (readonly [x: number, y: number])[]
  }[]
}

/** A row that says what holds it back if it misses its goal. */
export function withLimit(row: Row, limit: string): Row {
  return row.met ? row : { ...row, limit }
}

/** Something that can be timed: it does its work once. */
export type Work = () => unknown

/** The microseconds that have passed. */
export const wallClock = (): number => performance.now() * 1000

/** The microseconds of processor time that this process has used. */
export function cpuClock(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** How often works are run: so many rounds of so many runs, after rounds that only warm up. */
export interface TurnOptions {
  readonly rounds: number
  readonly runs: number
  /** How many rounds warm up; code that runs for the first few thousand times is several times slower. */
  readonly warmUp?: number
  readonly clock?: () => number
}

/** Median microseconds per run of several works, taken in turns so that a busy machine hurts all of them alike. */
export async function timeInTurns<K extends string>(
  works: Readonly<Record<K, Work>>,
  options: TurnOptions,
): Promise<Record<K, number>> {
  const clock = options.clock ?? wallClock
  const names = Object.keys(works) as K[]
  const times = new Map<K, number[]>(names.map((name) => [name, []]))
  for (let turn = -(options.warmUp ?? 1); turn < options.rounds; turn++) {
    for (const name of names) {
      const work = works[name]
      const start = clock()
      for (let run = 0; run < options.runs; run++) {
        const result = work()
        if (result instanceof Promise) await result
      }
      // All works are warmed up alike.
      if (turn >= 0) times.get(name)?.push((clock() - start) / options.runs)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<K, number>
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** A row whose ratio must not exceed the goal. */
export function atMost(name: string, ours: number, baseline: number, unit: string, goal: number): Row {
  const ratio = ours / baseline
  return {
    name,
    ours: round(ours),
    baseline: round(baseline),
    unit,
    ratio: round(ratio),
    goal: `<= ${goal}`,
    met: ratio <= goal,
  }
}

/** A row whose ratio must reach the goal. */
export function atLeast(name: string, ours: number, baseline: number, unit: string, goal: number): Row {
  const ratio = ours / baseline
  return {
    name,
    ours: round(ours),
    baseline: round(baseline),
    unit,
    ratio: round(ratio),
    goal: `>= ${goal}`,
    met: ratio >= goal,
  }
}

/** A row about an amount that has nothing to be compared with. */
export function noMoreThan(name: string, ours: number, unit: string, goal: number): Row {
  return {
    name,
    ours: round(ours),
    baseline: null,
    unit,
    ratio: null,
    goal: `<= ${goal} ${unit}`,
    met: ours <= goal,
  }
}

/** Three significant digits are all that such figures carry. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}
