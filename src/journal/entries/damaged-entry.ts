import { isJsonObject } from '../../core/json/value.ts'
import type { Entry, GateRecord, NoteEntry } from './entry.ts'

const ABOUT = 'damaged'

/** The stand-in for an entry that cannot be read, so that one damaged entry does not close its session. */
export function standInFor(seq: number, kind: unknown): NoteEntry {
  return { kind: 'note', about: ABOUT, execution: null, data: { seq, kind: String(kind) } }
}

/** The findings of a call whose list was changed or removed; the rest of its entry is intact. */
export const DAMAGED_FINDINGS: readonly GateRecord[] = [
  {
    gate: 'log',
    fact: 'the findings about this call are damaged; run tongs audit verify for details',
    verdict: 'fail',
  },
]

/** A sentence about the damage that a stand-in replaces; null if the entry is not a stand-in. */
export function describeDamage(entry: Entry): string | null {
  if (entry.kind !== 'note' || entry.about !== ABOUT || !isJsonObject(entry.data)) return null
  const { seq, kind } = entry.data
  return `Entry ${String(seq)} (${String(kind)}) is damaged and was skipped; run tongs audit verify for details.`
}
