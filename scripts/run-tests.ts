import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openClosedNetwork } from './closed-network.ts'
import { openMemoryFolder } from './in-memory.ts'
import { runTool, TOP } from './run-tool.ts'

/** Where a whole run of the tests leaves its report. */
export const RESULTS = join(TOP, '.vitest', 'results.json')
/** Where a run of some of them does: it proves nothing about the whole. */
export const CHOSEN_RESULTS = join(TOP, '.vitest', 'chosen.json')

/** How a run of the tests ended. */
export interface TestRun {
  readonly isGood: boolean
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** How often something tried to reach another machine; null where that is not counted. */
  readonly attempts: number | null
}

/** Runs the tests that the arguments choose, or all, and leaves a report. */
export function runTests(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  results = RESULTS,
): TestRun {
  rmSync(results, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  // The long suites meet the disk, and fetch the programs of others.
  const isLong = env['TONGS_LONG'] === '1'
  const memory = isLong ? null : openMemoryFolder()
  const network = isLong ? null : openClosedNetwork()
  const enter = (argv: readonly string[]): readonly string[] => {
    const inNetwork = network?.enter(argv) ?? argv
    return memory?.enter(inNetwork) ?? inNetwork
  }
  const here = memory === null ? env : { ...env, TMPDIR: memory.path }
  const exitCode = runTool('vitest', ['run', ...reporters, ...args], here, enter)
  memory?.remove()
  const attempts = network?.attempts() ?? null
  network?.remove()
  const { passed, failed, skipped } = countTests(results)
  // A stray rejection fails the run without failing a test.
  return {
    isGood: exitCode === 0,
    passed,
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped,
    attempts,
  }
}

interface Report {
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** Counts tests; a file that fails although none of its tests does, because it does not load, counts as one. */
function countTests(results: string): Pick<TestRun, 'passed' | 'failed' | 'skipped'> {
  let passed = 0
  let failed = 0
  let skipped = 0
  for (const { status, assertionResults } of readReport(results).testResults) {
    const bad = assertionResults.filter((test) => test.status === 'failed').length
    const good = assertionResults.filter((test) => test.status === 'passed').length
    passed += good
    skipped += assertionResults.length - good - bad
    failed += status === 'failed' ? Math.max(1, bad) : bad
  }
  return { passed, failed, skipped }
}

function readReport(results: string): Report {
  try {
    return JSON.parse(readFileSync(results, 'utf8')) as Report
  } catch {
    return { testResults: [] }
  }
}
