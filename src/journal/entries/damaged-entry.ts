import { isJsonObject } from '../../core/json/value.ts'
import type { Entry, NoteEntry } from './entry.ts'

/** Entries that only hold what was said. Rules, undo and recovery rest on the others, so nothing may stand in for those. */
const ONLY_WORDS: ReadonlySet<unknown> = new Set<Entry['kind']>([
  'said',
  'drafted',
  'voided',
  'streamed',
  'condensed',
])

const ABOUT = 'damaged'

/** What stands for an entry that cannot be read any more; null where the session cannot do without it. */
export function standInFor(seq: number, kind: unknown): NoteEntry | null {
  if (!ONLY_WORDS.has(kind)) return null
  return { kind: 'note', about: ABOUT, execution: null, data: { seq, kind: String(kind) } }
}

/** The place of the damage that an entry stands in for, as a sentence; null where it is an entry like any other. */
export function describeDamage(entry: Entry): string | null {
  if (entry.kind !== 'note' || entry.about !== ABOUT || !isJsonObject(entry.data)) return null
  const { seq, kind } = entry.data
  return `Entry ${String(seq)} (${String(kind)}) is damaged and left out; tongs audit verify says more.`
}
