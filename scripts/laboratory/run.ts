import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { refreshBundle } from '../refresh-bundle.ts'
import { TOP } from '../run-tool.ts'
import { chooseNext, isCurrent } from './choose-next.ts'
import type { Begun } from './choose-next.ts'
import { listParts } from './parts.ts'
import type { Part } from './parts.ts'
import { publishLaboratory } from './publish.ts'
import { newest, readLaws, readTried, recordTried } from './record.ts'
import type { Tried } from './record.ts'
import { nameSources } from './sources.ts'
import { describeLaws, renderSweeps, renderTable } from './tables.ts'
import { describeRepeat } from './try-unit.ts'

const MS_PER_MINUTE = 60_000
/** A unit that was begun in time may take so much longer. */
const GRACE_MS = 3 * MS_PER_MINUTE
/** So many units at once: most have a single process at work. */
const LANES = Math.min(4, availableParallelism())

if (import.meta.main && process.argv.includes('--publish')) publishLaboratory()
else if (import.meta.main) {
  const at = process.argv.indexOf('--minutes')
  const minutes = at === -1 ? Number.POSITIVE_INFINITY : Number(process.argv[at + 1])
  const only = process.argv
    .slice(2)
    .filter((word, index, all) => word !== '--minutes' && all[index - 1] !== '--minutes')
  const { failed } = await runLaboratory(minutes, only)
  process.exitCode = failed === 0 ? 0 : 1
}

/**
 * Tries unit after unit, several side by side, always of the part that has had least of its share, until the time is
 * over or everything was tried; a unit that is not at its end soon after counts as not tried. What was tried before on
 * the same sources is not tried again, and what was tried on others comes last.
 */
export async function runLaboratory(
  minutes: number,
  only: readonly string[],
): Promise<{ readonly passed: number; readonly failed: number }> {
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
  await tryAll(parts, before, now, Date.now() + minutes * MS_PER_MINUTE)
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

/** Adds what is tried until the end to `now`, and keeps it for later runs. */
async function tryAll(
  parts: readonly Part[],
  before: readonly Tried[],
  now: Tried[],
  end: number,
): Promise<void> {
  const begun: Begun[] = []
  const work = async (): Promise<void> => {
    for (;;) {
      const next = Date.now() < end ? chooseNext(parts, { before, now, begun }, sourcesOf) : null
      if (next === null) return
      const [part, unit] = next
      const one = { part, unit, since: Date.now() }
      begun.push(one)
      const tried = await tryOne(part, unit, end)
      begun.splice(begun.indexOf(one), 1)
      if (tried !== null) {
        recordTried(tried)
        now.push(tried)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
}

/** Tries a unit in a process of its own, whose output is shown only if something failed. */
async function tryOne(part: Part, unit: number, end: number): Promise<Tried | null> {
  const name = `${part.name}, unit ${unit} of ${part.units}`
  const minutesLeft = Math.round((end - Date.now()) / MS_PER_MINUTE)
  console.log(
    `laboratory: ${name} begins${Number.isFinite(minutesLeft) ? `; ${minutesLeft} minutes left` : ''}`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'tongs-unit-'))
  const [result, output] = [join(folder, 'tried.json'), join(folder, 'output.txt')]
  try {
    const most = String(end + GRACE_MS - Date.now())
    await runUnit([part.name, String(unit), most, result], output)
    const tried = readResult(result)
    if (tried === undefined) {
      console.log(`${readFileSync(output, 'utf8')}\nlaboratory: ${name} could not be tried`)
      return failedUnit(part, unit)
    }
    if (tried === null) console.log(`laboratory: ${name} was cut off, and counts as not tried`)
    else if (tried.isGood) console.log(`laboratory: ${name} is good, ${Math.round(tried.seconds)} s`)
    else {
      console.log(readFileSync(output, 'utf8'))
      console.log(`laboratory: ${name} FAILED; again with\n  ${describeRepeat(part, unit)}`)
    }
    return tried
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runUnit(words: readonly string[], output: string): Promise<void> {
  const out = openSync(output, 'w')
  const child = spawn(process.execPath, [join(import.meta.dirname, 'try-unit.ts'), ...words], {
    cwd: TOP,
    stdio: ['ignore', out, out],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      closeSync(out)
      resolve()
    })
  })
}

/** What a process left; undefined if it ended before it could. */
function readResult(file: string): Tried | null | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Tried | null
  } catch {
    return undefined
  }
}

function failedUnit(part: Part, unit: number): Tried {
  const day = new Date().toISOString().slice(0, 10)
  return {
    part: part.name,
    unit,
    sources: sourcesOf(part),
    day,
    seconds: 0,
    tests: 0,
    values: 0,
    isGood: false,
  }
}

function sourcesOf({ rooms }: Part): string {
  return nameSources(rooms)
}
