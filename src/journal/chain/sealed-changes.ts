import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Entry } from '../entries/entry.ts'
import { changesOf } from '../entries/mentions.ts'

/** The place of an entry: the session's id in the chain, and its number. */
export interface EntryPlace {
  readonly session: string
  readonly seq: number
}

/** Whether an entry says what files become: by a commit, or by a landing that waits for an answer. */
export function needsSeal(entry: Entry): boolean {
  return entry.kind === 'landing' || changesOf(entry).length > 0
}

/**
 * Seals what an entry says about files, at its place; of a landing, everything, since all of it decides what lands. An
 * undo puts in place what an old entry says; to find out from the chain alone whether another program wrote that,
 * everything after it would have to be read.
 */
export function sealChanges(entry: Entry, { session, seq }: EntryPlace, key: SealKey): string {
  if (entry.kind === 'landing') return seal(key, `tongs landing 1\n${JSON.stringify([session, seq, entry])}`)
  const execution = 'execution' in entry ? entry.execution : null
  const calls = 'calls' in entry ? entry.calls : null
  const text = JSON.stringify([session, seq, entry.kind, execution, calls, changesOf(entry)])
  return seal(key, `tongs changes 1\n${text}`)
}

/** Whether a stored entry says about files what was sealed. */
export function isSealOf(sealed: string, body: string, place: EntryPlace, key: SealKey): boolean {
  const entry = parseJson(body)
  return isJsonObject(entry) && sealed === sealChanges(entry as unknown as Entry, place, key)
}
