import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refreshBundle } from '../refresh-bundle.ts'
import { runTests } from '../run-tests.ts'
import { endAfter, TIME_IS_OVER, TOP } from '../run-tool.ts'
import { listParts } from './parts.ts'
import type { Part } from './parts.ts'
import { publishLaboratory } from './publish.ts'
import { newest, readLaws, readTried, recordTried } from './record.ts'
import type { SweptUnit, Tried } from './record.ts'
import { nameSources } from './sources.ts'
import { describeLaws, renderSweeps, renderTable } from './tables.ts'

const MS_PER_MINUTE = 60_000
/** A unit that was begun in time may take so much longer. */
const GRACE_MS = 3 * MS_PER_MINUTE

if (import.meta.main && process.argv.includes('--publish')) publishLaboratory()
else if (import.meta.main) {
  const at = process.argv.indexOf('--minutes')
  const minutes = at === -1 ? Number.POSITIVE_INFINITY : Number(process.argv[at + 1])
  const only = process.argv
    .slice(2)
    .filter((word, index, all) => word !== '--minutes' && all[index - 1] !== '--minutes')
  const { failed } = runLaboratory(minutes, only)
  process.exitCode = failed === 0 ? 0 : 1
}

/**
 * Tries unit after unit, always of the part that has had least of its share, until the time is over or everything was
 * tried; a unit that is not at its end soon after counts as not tried. What was tried before on the same sources is not
 * tried again, and what was tried on others comes last.
 */
export function runLaboratory(
  minutes: number,
  only: readonly string[],
): { readonly passed: number; readonly failed: number } {
  const parts = listParts().filter(({ name }) => only.length === 0 || only.includes(name))
  if (parts.length === 0) {
    console.error(
      `laboratory: there is no part ${only.join(' ')}; there are ${listParts()
        .map(({ name }) => name)
        .join(', ')}`,
    )
    return { passed: 0, failed: 1 }
  }
  // Commands that run from sources take ten times as long to start, and so to be killed.
  refreshBundle()
  const before = readTried()
  const now: Tried[] = []
  const end = Date.now() + minutes * MS_PER_MINUTE
  for (
    let next = chooseNext(parts, before, now, sourcesOf);
    next !== null && Date.now() < end;
    next = chooseNext(parts, before, now, sourcesOf)
  ) {
    const [part, unit] = next
    const minutesLeft = Math.round((end - Date.now()) / MS_PER_MINUTE)
    const left = Number.isFinite(minutesLeft) ? `; ${minutesLeft} minutes left` : ''
    console.log(`\nlaboratory: ${part.name}, unit ${unit} of ${part.units}${left}`)
    const tried = tryUnit(part, unit, end + GRACE_MS - Date.now())
    if (tried === null) {
      console.log(`laboratory: ${part.name}, unit ${unit} was cut off, and counts as not tried`)
      break
    }
    recordTried(tried)
    now.push(tried)
    if (!tried.isGood) console.log(`laboratory: FAILED; again with\n  ${describeRepeat(part, unit)}`)
  }
  const all = newest([...before, ...now])
  console.log(`\n${describeLaws(readLaws())}\n\n${renderSweeps(all)}\n`)
  const sources = [...new Set(parts.map(sourcesOf))]
  console.log(`Sources: ${sources.join(', ')}\n\n${renderTable(parts, all, sourcesOf)}\n`)
  const current = all.filter((one) => parts.some((part) => isCurrent(one, part, sourcesOf)))
  return {
    passed: current.filter(({ isGood }) => isGood).length,
    failed: current.filter(({ isGood }) => !isGood).length,
  }
}

type SourcesOf = (part: Part) => string

function sourcesOf({ rooms }: Part): string {
  return nameSources(rooms)
}

/** Whether a unit of this part was tried on what it would be tried on now. */
function isCurrent(one: Tried, part: Part, sources: SourcesOf): boolean {
  return one.part === part.name && one.sources === sources(part)
}

/**
 * The next unit: of the part that is furthest behind its share of the time, first those that have never succeeded; null
 * if all units were tried on the present sources.
 */
export function chooseNext(
  parts: readonly Part[],
  before: readonly Tried[],
  now: readonly Tried[],
  sources: SourcesOf,
): readonly [Part, number] | null {
  const left = parts.flatMap((part) => {
    const own = [...before, ...now].filter((one) => one.part === part.name)
    const current = new Set(own.flatMap((one) => (isCurrent(one, part, sources) ? [one.unit] : [])))
    const good = new Set(own.flatMap(({ unit, isGood }) => (isGood ? [unit] : [])))
    const open = Array.from({ length: part.units }, (_, index) => index).filter((unit) => !current.has(unit))
    const unit = open.find((one) => !good.has(one)) ?? open[0]
    const seconds = now.reduce((sum, one) => sum + (one.part === part.name ? one.seconds : 0), 0)
    return unit === undefined ? [] : [{ part, unit, isNew: !good.has(unit), had: seconds / part.share }]
  })
  const [first] = left.toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || a.had - b.had)
  return first === undefined ? null : [first.part, first.unit]
}

/** Tries a unit; null if its time was over before its end. */
function tryUnit(part: Part, unit: number, mostMs: number): Tried | null {
  const begun = Date.now()
  const outcome = part.script === undefined ? testUnit(part, unit, mostMs) : runScript(part, unit, mostMs)
  if (outcome === null) return null
  const { isGood, tests, laws, sweep } = outcome
  return {
    part: part.name,
    unit,
    sources: nameSources(part.rooms),
    day: new Date().toISOString().slice(0, 10),
    seconds: (Date.now() - begun) / 1000,
    tests,
    values: Object.values(laws).reduce((sum, values) => sum + values, 0),
    isGood,
    ...(Object.keys(laws).length === 0 ? {} : { laws }),
    ...(sweep === null ? {} : { sweep }),
  }
}

interface Outcome {
  readonly isGood: boolean
  readonly tests: number
  readonly laws: Readonly<Record<string, number>>
  readonly sweep: SweptUnit | null
}

function ownFile(name: string): string {
  return join(tmpdir(), `tongs-${name}-${process.pid}`)
}

function testUnit(part: Part, unit: number, mostMs: number): Outcome | null {
  const [values, coverage, results] = [ownFile('values'), ownFile('coverage'), ownFile('laboratory.json')]
  const known = ownFile('known.json')
  for (const file of [values, coverage]) rmSync(file, { force: true })
  writeFileSync(known, JSON.stringify(readLaws()))
  const env = {
    ...part.env(unit),
    LABORATORY_VALUES: values,
    LABORATORY_KNOWN: known,
    LABORATORY_COVERAGE: coverage,
  }
  const { isGood, isCut, passed, failed } = runTests(filesOf(part, unit), env, results, mostMs)
  const outcome = { isGood, tests: passed + failed, laws: readValues(values), sweep: readSweep(coverage) }
  for (const file of [values, coverage, results, known]) rmSync(file, { force: true })
  return isCut ? null : outcome
}

function runScript({ script }: Part, unit: number, mostMs: number): Outcome | null {
  const [program = '', ...words] = endAfter(mostMs, [process.execPath, ...(script?.(unit) ?? [])])
  const { status } = spawnSync(program, words, { cwd: TOP, stdio: 'inherit' })
  if (status === TIME_IS_OVER) return null
  return { isGood: status === 0, tests: 1, laws: {}, sweep: null }
}

/** How many values each law was tried with. */
function readValues(file: string): Readonly<Record<string, number>> {
  const laws: Record<string, number> = {}
  for (const line of readLines(file)) {
    const [values, law = ''] = line.split('\t')
    laws[law] = (laws[law] ?? 0) + Number(values)
  }
  return laws
}

function readSweep(file: string): SweptUnit | null {
  const [first] = readLines(file)
  return first === undefined ? null : (JSON.parse(first) as SweptUnit)
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

function filesOf({ files, filesOf: choose }: Part, unit: number): readonly string[] {
  return choose?.(unit) ?? files
}

function describeRepeat(part: Part, unit: number): string {
  if (part.script !== undefined) return ['node', ...part.script(unit)].join(' ')
  const env = Object.entries(part.env(unit)).map(([name, value]) => `${name}='${value}'`)
  return [...env, 'npm test --', ...filesOf(part, unit)].join(' ')
}
