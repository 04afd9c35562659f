import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'
import type { Part } from './parts.ts'

/** A unit that was tried. */
export interface Tried {
  readonly part: string
  readonly unit: number
  /** The sources that it was tried on, as git names them. */
  readonly sources: string
  readonly seconds: number
  readonly tests: number
  /** How many random values the laws were tried with. */
  readonly values: number
  readonly isGood: boolean
}

const FOLDER = join(TOP, '.laboratory')
const RECORD = join(FOLDER, 'tried.jsonl')

/** Everything that was tried on these sources, in this run and before. */
export function readTried(sources: string): readonly Tried[] {
  if (!existsSync(RECORD)) return []
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
    .filter((one) => one.sources === sources)
}

/** Keeps what was tried, so that a later run goes on after it. */
export function recordTried(tried: Tried): void {
  mkdirSync(FOLDER, { recursive: true })
  appendFileSync(RECORD, `${JSON.stringify(tried)}\n`)
}

/** The sources as they are now: what is committed below src, and whether it was changed since. */
export function nameSources(): string {
  return `${git('rev-parse', '--short=12', 'HEAD:src')}${git('status', '--short', 'src') === '' ? '' : '+changed'}`
}

function git(...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: TOP, encoding: 'utf8' }).stdout.trim()
}

/** The figures of all parts as one table. */
export function renderTable(parts: readonly Part[], tried: readonly Tried[]): string {
  const rows = parts.map(({ name, units, unit }) => {
    const own = tried.filter(({ part }) => part === name)
    const good = new Set(own.filter(({ isGood }) => isGood).map((one) => one.unit))
    const bad = new Set(own.filter(({ isGood }) => !isGood).map((one) => one.unit))
    const sum = (of: (one: Tried) => number): number => own.reduce((all, one) => all + of(one), 0)
    return [
      name,
      `${good.size} of ${units}`,
      String(bad.size),
      String(sum(({ tests }) => tests)),
      String(sum(({ values }) => values)),
      String(Math.round(sum(({ seconds }) => seconds) / 60)),
      unit,
    ]
  })
  const head = ['part', 'units', 'failed', 'tests', 'random values', 'minutes', 'a unit is']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
