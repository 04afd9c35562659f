import type { ExtraAccess, SpawnRequest } from '../../core/powers.ts'
import type { TestPlan } from './plan-tests.ts'

/** What a call adds to each of its runs. */
export interface RunOptions {
  /** The folder of the call, relative to the root; '' is the root. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly extraAccess: ExtraAccess | null
  readonly timeoutMs: number
  readonly keepBytes: number
}

/** The process of a run. The variables of the call come last, after those of the project. */
export function requestFor(plan: TestPlan, { folder, env, ...options }: RunOptions): SpawnRequest {
  const { argv, stem, behind, runner, programs, variables } = plan
  const isThere = plan.folder === folder && folder === ''
  return {
    argv,
    stem,
    ...(behind === null ? {} : { behind }),
    ...options,
    // Colours are not forbidden here but removed from what is read: tests about colours would fail.
    env: { ...runner?.env, ...variables, ...env },
    ...(isThere ? {} : { cwd: plan.folder === '' ? '.' : plan.folder }),
    ...(programs === null ? {} : { programs }),
    ...(runner?.machineStream === undefined ? {} : { unwatched: runner.machineStream }),
  }
}

/** What is shown of the runs before they start: where, with which variables, and the words. */
export function announcedWords(plans: readonly TestPlan[], { folder, env }: RunOptions): readonly string[] {
  return plans.flatMap((plan, at) => {
    const set = Object.entries({ ...plan.variables, ...env }).map(([name, value]) => `${name}=${value}`)
    const where = plan.folder === folder ? [] : [`--chdir=${plan.folder === '' ? '.' : plan.folder}`]
    const front = [...where, ...set]
    return [...(at === 0 ? [] : ['&&']), ...(front.length === 0 ? [] : ['env', ...front]), ...plan.argv]
  })
}
