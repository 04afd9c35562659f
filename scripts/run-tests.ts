import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openClosedNetwork } from './closed-network.ts'
import { openMemoryFolder } from './in-memory.ts'
import { runTool, TIME_IS_OVER, TOP } from './run-tool.ts'

/** Where a whole run of the tests leaves its report. */
export const RESULTS = join(TOP, '.vitest', 'results.json')
/** Where a run of some of them does: it proves nothing about the whole. */
export const CHOSEN_RESULTS = join(TOP, '.vitest', 'chosen.json')
/** Where it notes the tests that sat out: a line for each file, `17 of 23 in test/some.test.ts`. */
const TURNS = join(TOP, '.vitest', 'turns.txt')

/** How a run of the tests ended. */
export interface TestRun {
  readonly isGood: boolean
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Whether it was ended because its time was over. */
  readonly isCut: boolean
  /** How often something tried to reach another machine; null where that is not counted. */
  readonly attempts: number | null
}

/** Runs the tests that the arguments choose, or all of which it is the turn, and leaves a report. */
export function runTests(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  results = RESULTS,
  mostMs = Number.POSITIVE_INFINITY,
): TestRun {
  mkdirSync(dirname(TURNS), { recursive: true })
  for (const file of [results, TURNS]) rmSync(file, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  // The long suites meet the disk, and fetch the programs of others.
  const isLong = env['TONGS_LONG'] === '1'
  const memory = isLong ? null : openMemoryFolder()
  const network = isLong ? null : openClosedNetwork()
  const enter = (argv: readonly string[]): readonly string[] => {
    const inNetwork = network?.enter(argv) ?? argv
    return memory?.enter(inNetwork) ?? inNetwork
  }
  const here = {
    ...env,
    ...(memory === null ? {} : { TMPDIR: memory.path }),
    ...(args.length === 0 ? { TAKE_TURNS: '1', TURNS_LIST: TURNS } : {}),
  }
  const exitCode = runTool('vitest', ['run', ...reporters, ...args], here, enter, mostMs)
  memory?.remove()
  const attempts = network?.attempts() ?? null
  network?.remove()
  tellTurns()
  const { passed, failed, skipped } = countTests(results)
  // A stray rejection fails the run without failing a test.
  return {
    isGood: exitCode === 0,
    passed,
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped,
    isCut: exitCode === TIME_IS_OVER,
    attempts,
  }
}

/** Says how many tests sat out, so that nobody takes a part for the whole. */
function tellTurns(): void {
  if (!existsSync(TURNS)) return
  const rows = readFileSync(TURNS, 'utf8').matchAll(/^(\d+) of (\d+) in /gm)
  const counts = [...rows].map(([, out, all]) => ({ out: Number(out), all: Number(all) }))
  const sumOf = (name: 'out' | 'all'): number => counts.reduce((sum, count) => sum + count[name], 0)
  console.log(
    `${sumOf('out')} of the ${sumOf('all')} tests in ${counts.length} costly files sat out; npm run test:long has all of them\n`,
  )
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
