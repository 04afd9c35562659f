import type { StoredEntry } from '../../../../src/journal/entries/entry.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import { SESSION } from './script.ts'

/** What the log says. */
export interface Facts {
  /** How many edits are committed and not undone. */
  readonly applied: number
  readonly declared: readonly string[]
  readonly settled: readonly { readonly execution: string; readonly ok: boolean }[]
  readonly reverts: readonly string[]
  readonly asked: ReadonlySet<string>
}

/** Reads off the log what must be true of the workspace. */
export function readFacts(runtime: Runtime): Facts {
  const entries = [...runtime.log({ session: SESSION })].map(({ entry }: StoredEntry) => entry)
  let applied = 0
  const settled: Facts['settled'][number][] = []
  const reverts: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'undo' || entry.kind === 'redo') {
      applied += entry.kind === 'redo' ? entry.calls.length : -entry.calls.length
      reverts.push(entry.calls.join())
      const at = settled.findIndex(({ execution }) => execution === entry.rollsBack?.execution)
      if (at !== -1) settled[at] = { execution: entry.rollsBack?.execution ?? '', ok: false }
    }
    if (entry.kind !== 'settled') continue
    settled.push({ execution: entry.execution, ok: entry.error === null })
    if (entry.changes.length > 0) applied++
  }
  const declared = entries.flatMap((entry) =>
    entry.kind === 'batch' ? entry.calls.map(({ execution }) => execution) : [],
  )
  const asked = entries.flatMap((entry) =>
    entry.kind === 'asked' ? entry.questions.map(({ approval }) => approval) : [],
  )
  return { applied, declared, settled, reverts, asked: new Set(asked) }
}
