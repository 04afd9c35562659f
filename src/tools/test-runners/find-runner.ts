import { cargo } from './cargo.ts'
import { ert } from './ert.ts'
import { go } from './go.ts'
import { jest } from './jest.ts'
import { nodeTest } from './node-test.ts'
import { pytest } from './pytest.ts'
import type { Detection, Project, RunnerName, TestRunner } from './test-runner.ts'
import { vitest } from './vitest.ts'

/** Every runner. What a file of the project names outright comes before what only the names of files hint at. */
export const RUNNERS: readonly TestRunner[] = [vitest, jest, cargo, go, nodeTest, pytest, ert]

/** A runner with the words that start it; or what stands in the way; or that there is none. */
export type Found =
  | {
      readonly is: 'found'
      readonly runner: TestRunner
      readonly argv: readonly string[]
      readonly why: string
    }
  | (Extract<Detection, { is: 'unusable' }> & { readonly runner: TestRunner })
  | { readonly is: 'none' }

/** Finds out how the tests of a project are run; `only` says which runner it has to be. */
export async function findRunner(project: Project, only: RunnerName | null): Promise<Found> {
  let unusable: Found | null = null
  for (const runner of RUNNERS) {
    if (only !== null && runner.name !== only) continue
    const detection = await runner.detect(project)
    if (detection === null) continue
    if (detection.is === 'found') return { ...detection, runner }
    unusable ??= { ...detection, runner }
  }
  return unusable ?? { is: 'none' }
}

/** The runner that a command line starts; null where that cannot be told. */
export function recogniseRunner(argv: readonly string[]): TestRunner | null {
  return RUNNERS.find((runner) => runner.recognises(argv)) ?? null
}

/** The runner of a name. */
export function runnerNamed(name: RunnerName): TestRunner | null {
  return RUNNERS.find((runner) => runner.name === name) ?? null
}
