import type { RanTest } from './requirement-check.ts'
import { readTestId } from './mutation-list.ts'
import { readTitle } from './requirement-titles.ts'

/** What a run of the tests came to while a bug was planted. */
export interface PlantedRun {
  /** Null if the run ended, or was ended, without a report. */
  readonly tests: readonly RanTest[] | null
  /** Files that failed although none of their tests did: they did not load. */
  readonly unloaded: readonly string[]
}

/** What became of a row. */
export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  | { readonly kind: 'broken'; readonly fault: string }

/** Only a failed test that names the id kills; a run that says nothing about such a test is broken. */
export function judgeRun(run: PlantedRun, id: string, known: ReadonlySet<string>): Verdict {
  if (run.tests === null) return { kind: 'broken', fault: 'the tests hung or ended without a report' }
  const named = readTestId(id)
  const own = run.tests.filter(({ title, file }) =>
    named === null
      ? readTitle(title, known).ids.includes(id)
      : file === named.file && title.includes(named.title),
  )
  const killer = own.find(({ status }) => status === 'failed')
  if (killer !== undefined) return { kind: 'killed', by: killer.title }
  const [unloaded] = run.unloaded
  if (unloaded !== undefined) return { kind: 'broken', fault: `${unloaded} failed outside its tests` }
  if (own.some(({ status }) => status === 'passed')) return { kind: 'survived' }
  return { kind: 'broken', fault: 'no test that names the id was run' }
}
