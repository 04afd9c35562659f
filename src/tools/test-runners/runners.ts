import type { RunnerName, TestRunner } from './test-runner.ts'
import { ava } from './ava.ts'
import { bun } from './bun.ts'
import { cargo } from './cargo.ts'
import { ert } from './ert.ts'
import { go } from './go.ts'
import { jest } from './jest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { pytest } from './pytest.ts'
import { make, script } from './script.ts'
import { tap, tape } from './tap.ts'
import { unittest } from './unittest.ts'
import { uvu } from './uvu.ts'
import { vitest } from './vitest.ts'

/** Every runner. Those that a project file names explicitly come before those that file names only suggest. */
export const RUNNERS: readonly TestRunner[] = [
  vitest,
  jest,
  mocha,
  ava,
  tap,
  uvu,
  tape,
  cargo,
  go,
  bun,
  nodeTest,
  pytest,
  unittest,
  ert,
  script,
  make,
]

/** The runner that a command line starts; null if it is unknown. */
export function recogniseRunner(argv: readonly string[]): TestRunner | null {
  return RUNNERS.find((runner) => runner.recognises(argv)) ?? null
}

/** The runner with a name. */
export function runnerNamed(name: RunnerName): TestRunner | null {
  return RUNNERS.find((runner) => runner.name === name) ?? null
}
