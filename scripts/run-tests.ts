import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, TOP } from './run-tool.ts'

/** Where a whole run of the tests leaves its report. */
export const RESULTS = join(TOP, '.vitest', 'results.json')

/** How a run of the tests ended. */
export interface TestRun {
  readonly isGood: boolean
  readonly passed: number
  readonly failed: number
}

/** Runs all tests and leaves a report for the requirements check. */
export function runTests(args: readonly string[], env: Readonly<Record<string, string>> = {}): TestRun {
  rmSync(RESULTS, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`]
  const exitCode = runTool('vitest', ['run', ...reporters, ...args], env)
  const { passed, failed } = countTests()
  // A stray rejection fails the run without failing a test.
  return { isGood: exitCode === 0, passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed }
}

interface Report {
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** Counts tests; a file that fails although none of its tests does, because it does not load, counts as one. */
function countTests(): { readonly passed: number; readonly failed: number } {
  let passed = 0
  let failed = 0
  for (const { status, assertionResults } of readReport().testResults) {
    const bad = assertionResults.filter((test) => test.status === 'failed').length
    passed += assertionResults.filter((test) => test.status === 'passed').length
    failed += status === 'failed' ? Math.max(1, bad) : bad
  }
  return { passed, failed }
}

function readReport(): Report {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as Report
  } catch {
    return { testResults: [] }
  }
}
