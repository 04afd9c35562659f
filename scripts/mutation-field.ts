import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { plantIn, readTestId, sourceReader } from './mutation-list.ts'
import type { Mutation } from './mutation-list.ts'
import type { PlantedRun } from './mutation-verdict.ts'
import type { RanTest } from './requirement-check.ts'

/** A planted bug often keeps from happening what a test waits for. */
const PATIENCE_MS = '15000'

/** A copy of the project in which bugs are planted, so that no accident leaves one in the checkout. */
export interface Field {
  /** Runs some test files, only the tests that name one of the ids, while the row's bug is in place. */
  readonly runWith: (
    row: Mutation,
    ids: readonly string[],
    files: readonly string[],
    timeoutMs: number,
  ) => Promise<PlantedRun>
  readonly remove: () => void
}

// Without dist the command line runs from the sources, where the bug is.
const LEFT_OUT = new Set([
  'node_modules',
  'dist',
  '.git',
  '.vitest',
  'coverage',
  join('bench', 'node_modules'),
])
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Copies the project into a temporary folder that goes when the process does. */
export function makeField(top: string): Field {
  const copy = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-mutants-'))
  // Root also tests as somebody else, who would need a copy of the copy in every run.
  chmodSync(copy, 0o755)
  cpSync(top, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(top, path)) })
  symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'), 'dir')
  let running: ChildProcess | null = null
  const remove = (): void => {
    killGroup(running)
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', remove)
  for (const signal of STOPS) process.once(signal, stop)

  function runTests(
    ids: readonly string[],
    files: readonly string[],
    timeoutMs: number,
  ): Promise<PlantedRun> {
    const report = join(copy, '.vitest', 'planted.json')
    rmSync(report, { force: true })
    // From row to row all sources but one are the same.
    const cache = ['--fsModuleCache', `--fsModuleCachePath=${join(copy, '.vitest', 'modules')}`]
    const chosen = ['-t', namePattern(ids), ...files]
    const words = ['run', '--reporter=json', `--outputFile=${report}`, ...cache, ...chosen]
    const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs')
    const child = spawn(process.execPath, [vitest, ...words], {
      cwd: copy,
      stdio: 'ignore',
      detached: true,
      // Each row is to be killed by the tests as everybody runs them; but with every case, as some might miss it today.
      env: {
        ...process.env,
        TONGS_LONG: '',
        EVERY_CASE: '1',
        FAULTS_SEED: '1',
        HARDENING_SEED: '1',
        VITEST_PATIENCE_MS: PATIENCE_MS,
      },
    })
    running = child
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => killGroup(child), timeoutMs)
      child.once('error', reject)
      child.once('close', () => {
        clearTimeout(timer)
        running = null
        resolve(readRun(copy, report))
      })
    })
  }

  return {
    async runWith(row, ids, files, timeoutMs) {
      const path = join(copy, row.file)
      const before = sourceReader(copy)(row.file)
      const planted = plantIn(before, row)
      if (!planted.ok || before === null) throw new Error(`${row.id}: the row cannot be planted`)
      writeFileSync(path, planted.source)
      try {
        return await runTests(ids, files, timeoutMs)
      } finally {
        writeFileSync(path, before)
      }
    },
    remove() {
      process.off('exit', remove)
      for (const signal of STOPS) process.off(signal, stop)
      remove()
    },
  }
}

/** Leaves by the way that takes the copy along. */
function stop(): void {
  process.exit(130)
}

/** Matches titles that have one of the ids among those at their beginning, wherever the title's suite puts it, or that a row names itself. */
function namePattern(ids: readonly string[]): string {
  const patterns = ids.map((id) => {
    const named = readTestId(id)
    return named === null ? `(?:^| )${RegExp.escape(id)}[,:] ` : RegExp.escape(named.title)
  })
  return patterns.join('|')
}

function killGroup(leader: ChildProcess | null): void {
  if (leader?.pid === undefined) return
  try {
    process.kill(-leader.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

function readRun(copy: string, path: string): PlantedRun {
  let report: Report
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    return { tests: null, unloaded: [] }
  }
  const tests: RanTest[] = []
  const unloaded: string[] = []
  for (const { name, status, assertionResults } of report.testResults) {
    const file = relative(copy, name).replaceAll(sep, '/')
    for (const test of assertionResults) tests.push({ title: test.title, status: test.status, file })
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) unloaded.push(file)
  }
  return { tests, unloaded }
}
