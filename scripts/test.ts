import { runMutants } from './mutants.ts'
import { refreshBundle } from './refresh-bundle.ts'
import { checkRequirements } from './requirements.ts'
import { CHOSEN_RESULTS, RESULTS, runTests } from './run-tests.ts'
import { runTool } from './run-tool.ts'

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
  const run = runTests([], environment())
  console.log(`${run.isGood ? 'ok    ' : 'FAILED'} tests\n`)
  if (run.attempts !== null)
    count(`no network (${run.attempts} tries to leave the machine)`, run.attempts === 0)
  passed += run.passed
  failed += run.failed
  count('requirements', checkRequirements(RESULTS, false))
  if (isLong) {
    const { killed, survived } = await runMutants([])
    console.log(`${survived === 0 ? 'ok    ' : 'FAILED'} mutants\n`)
    passed += killed
    failed += survived
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function environment(): Readonly<Record<string, string>> {
  return isLong ? { TONGS_LONG: '1' } : {}
}
