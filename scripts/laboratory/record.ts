import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'
import type { Part } from './parts.ts'
import { nameSources } from './sources.ts'

/** A unit that was tried. */
export interface Tried {
  readonly part: string
  readonly unit: number
  /** The sources that it was tried on. */
  readonly sources: string
  readonly seconds: number
  readonly tests: number
  /** How many random values the laws were tried with. */
  readonly values: number
  readonly isGood: boolean
  /** The same for each law. */
  readonly laws?: Readonly<Record<string, number>>
  /** What a sweep covered. */
  readonly sweep?: SweptUnit
}

/** What is kept of a sweep. */
export interface SweptUnit {
  readonly operation: string
  readonly kind: 'deaths' | 'errors'
  readonly calls: Readonly<Record<string, number>>
  readonly trials: number
  readonly tried: number
  readonly same: number
  readonly missed: number
  readonly stayed: number
  readonly broken: readonly string[]
}

const FOLDER = join(TOP, '.laboratory')
const RECORD = join(FOLDER, 'tried.jsonl')

/** Everything that was tried on the present sources of each part, in this run and before. */
export function readTried(parts: readonly Part[]): readonly Tried[] {
  if (!existsSync(RECORD)) return []
  const sources = new Map(parts.map(({ name, rooms }) => [name, nameSources(rooms)]))
  return readFileSync(RECORD, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Tried]
      } catch {
        // The last line of a run that was stopped.
        return []
      }
    })
    .filter((one) => one.sources === sources.get(one.part))
}

/** Keeps what was tried, so that a later run goes on after it. */
export function recordTried(tried: Tried): void {
  mkdirSync(FOLDER, { recursive: true })
  appendFileSync(RECORD, `${JSON.stringify(tried)}\n`)
}

/** When all units of a part were last tried without a failure, and on what; by the name of the part. */
export type Completions = Readonly<Record<string, Completion>>

/** The figures of a part that was brought to completion; they outlive the sources that they were tried on. */
export interface Completion {
  readonly day: string
  readonly commit: string
  readonly units: number
  readonly tests: number
  readonly values: number
  readonly minutes: number
}

/** The known completions, with those of the parts that are complete on the present sources. */
export function noteCompletions(
  known: Completions,
  parts: readonly Part[],
  tried: readonly Tried[],
  now: Pick<Completion, 'day' | 'commit'>,
): Completions {
  const fresh = parts.flatMap(({ name, units }) => {
    const { good, bad, tests, values, minutes } = sumUp(name, tried)
    const completion = { ...now, units, tests, values, minutes }
    return good === units && bad === 0 ? [[name, completion] as const] : []
  })
  const here = new Set(parts.map(({ name }) => name))
  const kept = Object.entries(known).filter(([name]) => here.has(name))
  return Object.fromEntries([...kept, ...fresh])
}

function sumUp(name: string, tried: readonly Tried[]) {
  const own = tried.filter(({ part }) => part === name)
  const sum = (of: (one: Tried) => number): number => own.reduce((all, one) => all + of(one), 0)
  return {
    good: new Set(own.filter(({ isGood }) => isGood).map(({ unit }) => unit)).size,
    bad: new Set(own.filter(({ isGood }) => !isGood).map(({ unit }) => unit)).size,
    tests: sum(({ tests }) => tests),
    values: sum(({ values }) => values),
    minutes: Math.round(sum(({ seconds }) => seconds) / 60),
  }
}

/** The figures of all parts as one table, with when each was last complete. */
export function renderTable(
  parts: readonly Part[],
  tried: readonly Tried[],
  completions: Completions = {},
): string {
  const rows = parts.map(({ name, units, unit }) => {
    const { good, bad, ...sums } = sumUp(name, tried)
    const last = completions[name]
    const complete =
      last === undefined
        ? 'not yet'
        : `${last.day}, \`${last.commit}\`, ${last.units} units, ${last.minutes} minutes`
    const figures = [sums.tests, sums.values, sums.minutes].map(String)
    return [name, `${good} of ${units}`, String(bad), ...figures, complete, unit]
  })
  const head = ['part', 'units', 'failed', 'tests', 'random values', 'minutes', 'last complete', 'a unit is']
  return renderRows(head, rows)
}

/** What the sweeps covered: for each command its calls, the deaths and errors at them, and what broke. */
export function renderSweeps(tried: readonly Tried[]): string {
  const swept = tried.flatMap(({ sweep }) => (sweep === undefined ? [] : [sweep]))
  const rows = [...Map.groupBy(swept, ({ operation }) => operation)].map(([operation, units]) => {
    const sum = (kind: SweptUnit['kind'], of: (one: SweptUnit) => number): number =>
      units.reduce((all, one) => (one.kind === kind ? all + of(one) : all), 0)
    const calls = Object.values(units[0]?.calls ?? {}).reduce((all, count) => all + count, 0)
    const errors = units.find(({ kind }) => kind === 'errors')?.trials ?? 0
    return [
      operation,
      String(calls),
      String(Object.keys(units[0]?.calls ?? {}).length),
      `${sum('deaths', ({ tried: looked, same }) => looked + same)} (${sum('deaths', ({ tried: looked }) => looked)} different)`,
      `${sum('errors', ({ tried: met }) => met)} of ${errors}`,
      String(sum('errors', ({ missed }) => missed)),
      String(units.reduce((all, { stayed }) => all + stayed, 0)),
      String(units.reduce((all, { broken }) => all + broken.length, 0)),
    ]
  })
  return renderRows(
    ['command', 'calls', 'kinds of calls', 'deaths', 'errors', 'missed', 'folders left', 'broken'],
    rows,
  )
}

/** Says how many laws had a million values, and which had fewest. */
export function describeLaws(tried: readonly Tried[]): string {
  const counts = new Map<string, number>()
  for (const { laws = {} } of tried)
    for (const [law, values] of Object.entries(laws)) counts.set(law, (counts.get(law) ?? 0) + values)
  const sorted = [...counts].toSorted((a, b) => a[1] - b[1])
  const enough = sorted.filter(([, values]) => values >= MILLION).length
  const lines = sorted.map(([law, values]) => `${String(values).padStart(9)} ${law}`)
  return [`${enough} of ${sorted.length} laws were tried with a million values or more.`, ...lines].join('\n')
}

const MILLION = 1_000_000

function renderRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
