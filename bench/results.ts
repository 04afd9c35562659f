import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Row } from './measure.ts'

const RESULTS = join(import.meta.dirname, 'results.json')
const PAGE = join(dirname(import.meta.dirname), 'docs/performance.md')

/** What was measured, and on what. */
export interface Results {
  readonly cores: number
  readonly node: string
  readonly rows: readonly Row[]
}

/** Keeps rows for publishing. Those of a run that measured only some of them replace their namesakes. */
export function saveRows(rows: readonly Row[], isWhole: boolean): void {
  const names = new Set(rows.map(({ name }) => name))
  const earlier = isWhole ? [] : (readResults()?.rows ?? [])
  const others = earlier.filter(({ name }) => !names.has(name))
  const sorted = [...others, ...rows].toSorted((one, other) =>
    one.name.localeCompare(other.name, 'en', { numeric: true }),
  )
  const results: Results = { cores: availableParallelism(), node: process.versions.node, rows: sorted }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
}

/** Writes the page from the last results. */
export function publish(): void {
  const results = readResults()
  if (results === null) throw new Error('there are no results yet: npm run bench measures them')
  writeFileSync(PAGE, renderPage(results))
}

function readResults(): Results | null {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : null
}

function renderPage({ cores, node, rows }: Results): string {
  const met = rows.filter((row) => row.met).length
  return `<!-- Printed by npm run bench -- --publish. -->
# Performance

Each row compares Tongs with a baseline that is measured in the same run, in turns, on the same machine. The ratio is what counts: the figures themselves depend on the machine, and nothing is promised in milliseconds. \`npm run bench\` measures all rows, \`npm run bench -- --publish\` prints this page.

Measured on ${cores} cores with Node ${node}. ${met} of ${rows.length} goals are met.

| What | Ours | Baseline | Unit | Ratio | Goal | Met |
| --- | ---: | ---: | --- | ---: | --- | --- |
${rows.map(renderRow).join('\n')}
${renderLimits(rows)}`
}

/** What holds back the goals that are missed, as far as a run has measured it. */
function renderLimits(rows: readonly Row[]): string {
  const limited = rows.flatMap(({ name, limit }) => (limit === undefined ? [] : [`- ${name}: ${limit}.`]))
  return limited.length === 0 ? '' : `\n## What holds the missed goals back\n\n${limited.join('\n')}\n`
}

function renderRow({ name, ours, baseline, unit, ratio, goal, met }: Row): string {
  const cells = [name, show(ours), show(baseline), unit, show(ratio), goal, met ? 'yes' : 'no']
  return `| ${cells.join(' | ')} |`
}

function show(figure: number | null): string {
  return figure === null ? '' : String(figure)
}
