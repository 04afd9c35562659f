import { isJsonObject } from '../../core/json/value.ts'
import type { Entry, NoteEntry } from './entry.ts'

/** Entries that hold only conversation. Rules, undo and recovery need the others, so those get no stand-in. */
const ONLY_WORDS: ReadonlySet<unknown> = new Set<Entry['kind']>([
  'said',
  'drafted',
  'voided',
  'streamed',
  'condensed',
])

const ABOUT = 'damaged'

/** The stand-in for an entry that cannot be read; null if the session cannot do without the entry. */
export function standInFor(seq: number, kind: unknown): NoteEntry | null {
  if (!ONLY_WORDS.has(kind)) return null
  return { kind: 'note', about: ABOUT, execution: null, data: { seq, kind: String(kind) } }
}

/** A sentence about the damage that a stand-in replaces; null if the entry is not a stand-in. */
export function describeDamage(entry: Entry): string | null {
  if (entry.kind !== 'note' || entry.about !== ABOUT || !isJsonObject(entry.data)) return null
  const { seq, kind } = entry.data
  return `Entry ${String(seq)} (${String(kind)}) is damaged and was skipped; run tongs audit verify for details.`
}
