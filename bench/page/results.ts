import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../../scripts/run-tool.ts'
import type { Row } from '../measure.ts'
import type { Stamp } from './machine.ts'
import { renderPage } from './render-page.ts'
import { drawPlots } from './draw-plots.ts'

const RESULTS = join(TOP, 'bench/results.json')
const PAGE = join(TOP, 'docs/performance.md')
const PICTURES = join(TOP, 'docs/pictures/performance')

/** The rows of one group, and the run that measured them. */
export interface Group {
  readonly stamp: Stamp
  readonly rows: readonly Row[]
}

/** What was measured last of each group. */
export type Results = Readonly<Record<string, Group>>

/** Keeps the rows of a group for publishing, in place of those of an earlier run; other groups stay. */
export function saveGroup(name: string, group: Group, file = RESULTS): void {
  writeFileSync(file, `${JSON.stringify({ ...readResults(file), [name]: group }, null, 2)}\n`)
}

export function readResults(file = RESULTS): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {}
}

/** Writes the page and its plots from what was measured last of each of these groups. */
export function publish(groups: readonly string[]): void {
  const results = readResults()
  const measured = groups.flatMap((name) => results[name] ?? [])
  if (measured.length === 0) throw new Error('there are no results yet: npm run bench measures them')
  const missing = groups.filter((name) => results[name] === undefined)
  if (missing.length > 0) console.error(`not measured yet, so not on the page: ${missing.join(', ')}`)
  rmSync(PICTURES, { recursive: true, force: true })
  mkdirSync(PICTURES, { recursive: true })
  const plots = drawPlots(measured.flatMap(({ rows }) => rows))
  for (const { file, svg } of plots) writeFileSync(join(PICTURES, file), svg)
  writeFileSync(PAGE, renderPage(measured, plots))
}
