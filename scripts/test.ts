import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listParts } from './laboratory/parts.ts'
import { runLaboratory } from './laboratory/run.ts'
import { refreshBundle } from './refresh-bundle.ts'
import { checkRequirements } from './requirements.ts'
import { CHOSEN_RESULTS, RESULTS, runTests } from './run-tests.ts'
import { runTool, TOP } from './run-tool.ts'

/**
 * The most that the parts of a long run may take. Whatever is still at work then is ended, and that is a failure of the
 * suites; the laboratory gets what they leave, so all of it ends within ninety minutes.
 */
const SUITE_MINUTES = 45
const LONG_SUITE_MINUTES = 15
const LONG_MINUTES = 85
const MS_PER_MINUTE = 60_000

const args = process.argv.slice(2)
const isLong = args.includes('--long')
const chosen = args.filter((word) => word !== '--long')

// A chosen few tests are somebody at work: the checks of the whole would only be in the way.
process.exitCode = chosen.length > 0 ? checkChosen() : await checkAll()

/** Runs the chosen tests and closes with the count. */
function checkChosen(): number {
  const run = runTests(chosen, environment(), CHOSEN_RESULTS)
  // On the build machine a test that did not run is a failure.
  const failed = run.failed + (process.env['CI'] === 'true' ? run.skipped : 0)
  console.log(`${run.passed} passed, ${failed} failed`)
  return run.isGood && failed === 0 ? 0 : 1
}

/** Runs every check, also after one has failed, and closes with the count. */
async function checkAll(): Promise<number> {
  const started = Date.now()
  let passed = 0
  let failed = 0
  const count = (name: string, isGood: boolean): void => {
    if (isGood) passed += 1
    else failed += 1
    console.log(`${isGood ? 'ok    ' : 'FAILED'} ${name}\n`)
  }
  count('types', runTool('tsc', ['--noEmit', '-p', '.']) === 0)
  count('lint', runTool('oxlint', ['--deny-warnings']) === 0)
  count('format', runTool('oxfmt', ['--check']) === 0)
  count('bundle', refreshBundle())
  // A long run has every case of every file once, and then what is never all tried, by the clock.
  const run = isLong
    ? runTests([], { EVERY_CASE: '1' }, RESULTS, SUITE_MINUTES * MS_PER_MINUTE)
    : runTests([])
  console.log(`${run.isGood ? 'ok    ' : 'FAILED'} tests\n`)
  if (run.attempts !== null)
    count(`no network (${run.attempts} tries to leave the machine)`, run.attempts === 0)
  passed += run.passed
  failed += run.failed
  count('requirements', checkRequirements(RESULTS, false))
  if (isLong) {
    const outside = runTests(longFiles(), environment(), CHOSEN_RESULTS, LONG_SUITE_MINUTES * MS_PER_MINUTE)
    console.log(`${outside.isGood ? 'ok    ' : 'FAILED'} long suites\n`)
    const minutes = LONG_MINUTES - (Date.now() - started) / MS_PER_MINUTE
    const laboratory = await runLaboratory(minutes, [])
    console.log(`${laboratory.failed === 0 ? 'ok    ' : 'FAILED'} laboratory\n`)
    passed += outside.passed + laboratory.passed
    failed += outside.failed + laboratory.failed
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function environment(): Readonly<Record<string, string>> {
  return isLong ? { TONGS_LONG: '1' } : {}
}

/** The suites that only a long run has, without those that are units of the laboratory. */
function longFiles(): readonly string[] {
  const tried = new Set(listParts().flatMap(({ files }) => files))
  return readdirSync(join(TOP, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((name) => name.endsWith('.long.test.ts') && !tried.has(name))
}
