import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'

/** A unit that was tried. */
export interface Tried {
  readonly part: string
  readonly unit: number
  /** The sources that it was tried on. */
  readonly sources: string
  readonly day: string
  readonly seconds: number
  readonly tests: number
  /** How many random values the laws were tried with. */
  readonly values: number
  readonly isGood: boolean
  /** The same for each law. */
  readonly laws?: LawCounts
  /** What a sweep covered. */
  readonly sweep?: SweptUnit
}

/** How many random values each law was tried with. */
export type LawCounts = Readonly<Record<string, number>>

/** What is kept of a sweep. */
export interface SweptUnit {
  readonly operation: string
  readonly kind: 'deaths' | 'errors'
  /** How often each system call came. */
  readonly calls: Readonly<Record<string, number>>
  readonly trials: number
  readonly tried: number
  readonly same: number
  readonly missed: number
  readonly stayed: number
  readonly broken: readonly string[]
}

/** What was tried here since it was last published. */
const LOCAL = join(TOP, '.laboratory', 'tried.jsonl')
/** The last try of every unit, on whatever machine and sources, a line each. */
const UNITS = join(TOP, 'data', 'laboratory.jsonl')
const LAWS = join(TOP, 'data', 'laboratory-laws.json')

/** The last try of every unit. */
export function readTried(): readonly Tried[] {
  return newest([...readLines(UNITS), ...readLines(LOCAL)])
}

/** How many values each law was tried with in all. */
export function readLaws(): LawCounts {
  return addLaws(JSON.parse(readFileSync(LAWS, 'utf8')) as LawCounts, readLines(LOCAL))
}

/** Keeps what was tried, so that a later run goes on after it. */
export function recordTried(tried: Tried): void {
  mkdirSync(join(LOCAL, '..'), { recursive: true })
  appendFileSync(LOCAL, `${JSON.stringify(tried)}\n`)
}

/** Moves what was tried here into the files that every checkout has; units of parts that are gone are dropped. */
export function publishTried(parts: ReadonlySet<string>): void {
  const kept = readTried().filter(({ part }) => parts.has(part))
  const lines = kept.map((one) => JSON.stringify({ ...one, laws: undefined }))
  const laws = Object.entries(readLaws()).toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(UNITS, lines.map((line) => `${line}\n`).join(''))
  writeFileSync(LAWS, `${JSON.stringify(Object.fromEntries(laws), null, 2)}\n`)
  rmSync(LOCAL, { force: true })
}

/** Of each unit the last of its tries, in the order of parts and units. */
export function newest(tried: readonly Tried[]): readonly Tried[] {
  const last = new Map(tried.map((one) => [`${one.part} ${one.unit}`, one]))
  return [...last.values()].toSorted((a, b) =>
    a.part === b.part ? a.unit - b.unit : a.part < b.part ? -1 : 1,
  )
}

/** The counts with those of some tries added. */
export function addLaws(known: LawCounts, tried: readonly Tried[]): LawCounts {
  const counts = new Map(Object.entries(known))
  for (const { laws = {} } of tried)
    for (const [law, values] of Object.entries(laws)) counts.set(law, (counts.get(law) ?? 0) + values)
  return Object.fromEntries(counts)
}

function readLines(file: string): readonly Tried[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Tried]
      } catch {
        // The last line of a run that was stopped.
        return []
      }
    })
}
