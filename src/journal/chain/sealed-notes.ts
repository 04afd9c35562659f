import { canonicalJson } from '../../core/json/canonical.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { NoteEntry } from '../entries/entry.ts'
import type { EntryPlace } from './sealed-entries.ts'

/**
 * A note that vouches for something (a repair, a grant, what is trusted) with a seal of its own, at its place: where the
 * end of a chain is open, another program can add a note with the right hash.
 */
export function sealNote(note: NoteEntry, place: EntryPlace, key: SealKey): NoteEntry {
  const data = isJsonObject(note.data) ? note.data : {}
  return { ...note, data: { ...data, seal: sealOf(note.about, data, place, key) } }
}

/** Whether a stored note is one that was sealed at its place; without a key there is none. */
export function isSealedNote(entry: JsonObject, place: EntryPlace, key: SealKey | null): boolean {
  const { about, data } = entry
  if (key === null || typeof about !== 'string' || !isJsonObject(data)) return false
  const { seal: sealed, ...said } = data
  return sealed === sealOf(about, said, place, key)
}

function sealOf(about: string, data: JsonValue, { session, seq }: EntryPlace, key: SealKey): string {
  return seal(key, `tongs note 1\n${session}\n${seq}\n${about}\n${canonicalJson(data)}`)
}
