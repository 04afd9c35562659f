import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTests } from '../run-tests.ts'
import { listParts } from './parts.ts'
import type { Part } from './parts.ts'
import { nameSources, readTried, recordTried, renderTable } from './record.ts'
import type { Tried } from './record.ts'

const MS_PER_MINUTE = 60_000

if (import.meta.main) {
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
 * tried; a unit that was begun is brought to its end. What was tried before on the same sources is not tried again.
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
  const sources = nameSources()
  const before = readTried(sources)
  const now: Tried[] = []
  const end = Date.now() + minutes * MS_PER_MINUTE
  for (
    let next = chooseNext(parts, before, now);
    next !== null && Date.now() < end;
    next = chooseNext(parts, before, now)
  ) {
    const [part, unit] = next
    console.log(`\nlaboratory: ${part.name}, unit ${unit} of ${part.units}`)
    const tried = tryUnit(part, unit, sources)
    recordTried(tried)
    now.push(tried)
    if (!tried.isGood) console.log(`laboratory: FAILED; again with\n  ${describeRepeat(part, unit)}`)
  }
  const all = [...before, ...now]
  console.log(`\nSources ${sources}\n\n${renderTable(parts, all)}\n`)
  return {
    passed: all.filter(({ isGood }) => isGood).length,
    failed: all.filter(({ isGood }) => !isGood).length,
  }
}

/** The next unit: of the part that is furthest behind its share of the time; null if all units were tried. */
export function chooseNext(
  parts: readonly Part[],
  before: readonly Tried[],
  now: readonly Tried[],
): readonly [Part, number] | null {
  const left = parts.flatMap((part) => {
    const tried = new Set([...before, ...now].flatMap((one) => (one.part === part.name ? [one.unit] : [])))
    const unit = Array.from({ length: part.units }, (_, index) => index).find((index) => !tried.has(index))
    const seconds = now.reduce((sum, one) => sum + (one.part === part.name ? one.seconds : 0), 0)
    return unit === undefined ? [] : [{ part, unit, had: seconds / part.share }]
  })
  const [first] = left.toSorted((a, b) => a.had - b.had)
  return first === undefined ? null : [first.part, first.unit]
}

function tryUnit(part: Part, unit: number, sources: string): Tried {
  const values = join(tmpdir(), `tongs-values-${process.pid}`)
  rmSync(values, { force: true })
  const results = join(tmpdir(), `tongs-laboratory-${process.pid}.json`)
  const begun = Date.now()
  const env = { ...part.env(unit), LABORATORY_VALUES: values }
  const { isGood, passed, failed } = runTests(part.files, env, results)
  rmSync(results, { force: true })
  const seconds = (Date.now() - begun) / 1000
  return {
    part: part.name,
    unit,
    sources,
    seconds,
    tests: passed + failed,
    values: sumValues(values),
    isGood,
  }
}

function sumValues(file: string): number {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    rmSync(file, { force: true })
    return lines.reduce((sum, line) => sum + Number(line), 0)
  } catch {
    return 0
  }
}

function describeRepeat(part: Part, unit: number): string {
  const env = Object.entries(part.env(unit)).map(([name, value]) => `${name}=${value}`)
  return [...env, 'npm test --', ...part.files].join(' ')
}
