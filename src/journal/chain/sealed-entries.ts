import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { DELEGATION } from '../entries/delegated-entry.ts'
import type { Entry, LandingEntry, SettledEntry, StartedEntry } from '../entries/entry.ts'
import { changesOf } from '../entries/mentions.ts'
import { chainHash } from './chain.ts'
import type { ChainedEntry } from './chain.ts'

/** The place of an entry: the session's id in the chain, and its number. */
export interface EntryPlace {
  readonly session: string
  readonly seq: number
}

/** An entry with its hash, at its place. */
interface HashedEntry extends EntryPlace {
  readonly entry: Entry
  readonly hash: string
}

/**
 * Whether an entry counts only with a seal. After a process was killed, another program can add entries at the open end with
 * right hashes. So whatever gives something has a seal of its own, in the entry or beside it: what files become, that a call
 * has ended which had an effect, that a batch goes on, that contents were erased. What only takes away needs none.
 */
export function needsSeal(entry: Entry): boolean {
  switch (entry.kind) {
    case 'landing':
    case 'undo':
    case 'redo':
    case 'parked':
    case 'forgotten':
      return true
    case 'settled':
      return entry.changes.length > 0 || mayHaveBegun(entry)
    case 'note':
      return entry.about === DELEGATION
    default:
      return false
  }
}

/** Whether an entry says that a call began that may have an effect which no commit shows. */
export function marksBegin(entry: Entry): entry is StartedEntry | LandingEntry {
  return entry.kind === 'started' || entry.kind === 'landing'
}

/** Whether a call may have had such an effect; one that a recovery closed may be of a tool that is gone. */
function mayHaveBegun({ effect, gates }: SettledEntry): boolean {
  if (effect !== 'read' && effect !== 'edit') return true
  return Array.isArray(gates) && gates[0]?.gate === 'recovery'
}

/**
 * Seals an entry at its place. Of one that changes files, what it says about them, and of a landing, everything, since all
 * of it decides what lands: so it holds whatever became of the entries before it. Of others, the hash, which stands for the
 * entry with all that is before it.
 */
export function sealEntry({ entry, session, seq, hash }: HashedEntry, key: SealKey): string {
  if (entry.kind === 'landing') return seal(key, `tongs landing 1\n${JSON.stringify([session, seq, entry])}`)
  const changes = changesOf(entry)
  if (changes.length === 0) return seal(key, `tongs entry 1\n${JSON.stringify([session, seq, hash])}`)
  const execution = 'execution' in entry ? entry.execution : null
  const calls = 'calls' in entry ? entry.calls : null
  const text = JSON.stringify([session, seq, entry.kind, execution, calls, changes])
  return seal(key, `tongs changes 1\n${text}`)
}

/** Whether an entry that was read, and that matches its hash, has the seal of its place; without a key none has. */
export function isSealedEntry(sqlite: Sqlite, row: number, read: HashedEntry, key: SealKey | null): boolean {
  const found = sqlite
    .statement('SELECT seal FROM changes_seal WHERE session = ? AND seq = ?')
    .get(row, read.seq)
  return key !== null && found?.['seal'] === sealEntry(read, key)
}

/** A stored entry with its seal, and the hash before it. */
export interface SealedText extends Omit<ChainedEntry, 'session'> {
  readonly seal: string | null
  readonly previous: string
}

/** Whether a stored entry is the one that was sealed at its place. */
export function isSealOf(
  { seal: sealed, previous, ...text }: SealedText,
  session: string,
  key: SealKey,
): boolean {
  const entry = parseJson(text.body)
  if (sealed === null || !isJsonObject(entry)) return false
  const { seq } = text
  const hash = chainHash(previous, { session, ...text })
  return sealed === sealEntry({ entry: entry as unknown as Entry, session, seq, hash }, key)
}
