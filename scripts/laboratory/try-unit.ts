import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTests } from '../run-tests.ts'
import { endAfter, TIME_IS_OVER, TOP } from '../run-tool.ts'
import { listParts } from './parts.ts'
import type { Part } from './parts.ts'
import { readLaws } from './record.ts'
import type { SweptUnit, Tried } from './record.ts'
import { nameSources } from './sources.ts'

// A process for each unit, so that several can be tried side by side: `try-unit.ts PART UNIT MOST_MS FILE`.
if (import.meta.main) {
  const [name, unit, mostMs, file = ''] = process.argv.slice(2)
  const part = listParts().find((one) => one.name === name)
  if (part === undefined) throw new Error(`there is no part ${name}`)
  writeFileSync(file, JSON.stringify(tryUnit(part, Number(unit), Number(mostMs))))
}

/** Tries a unit; null if its time was over before its end. */
function tryUnit(part: Part, unit: number, mostMs: number): Tried | null {
  const begun = Date.now()
  const sources = nameSources(part.rooms)
  const outcome = part.script === undefined ? testUnit(part, unit, mostMs) : runScript(part, unit, mostMs)
  if (outcome === null) return null
  const { isGood, tests, laws, sweep } = outcome
  return {
    part: part.name,
    unit,
    sources,
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

/** What a person types to try a unit again. */
export function describeRepeat(part: Part, unit: number): string {
  if (part.script !== undefined) return ['node', ...part.script(unit)].join(' ')
  const env = Object.entries(part.env(unit)).map(([name, value]) => `${name}='${value}'`)
  return [...env, 'npm test --', ...filesOf(part, unit)].join(' ')
}
