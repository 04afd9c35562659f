import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { DELEGATION } from '../entries/delegated-entry.ts'
import type { Entry } from '../entries/entry.ts'
import { changesOf } from '../entries/mentions.ts'
import type { EntryRow } from '../store/rows.ts'
import { chainHash } from './chain.ts'
import type { ChainedEntry, Head } from './chain.ts'

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
      return entry.changes.length > 0
    case 'note':
      return entry.about === DELEGATION
    default:
      return false
  }
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

/** Seals the newest entry that one write adds to a session: with its hash, everything up to it. */
export function sealEnd<T extends EntryRow>(rows: readonly T[], session: string, key: SealKey): readonly T[] {
  const last = rows.at(-1)
  return last === undefined
    ? rows
    : rows.with(rows.length - 1, { ...last, end: endSeal({ session, ...last }, key) })
}

function endSeal({ session, seq, hash }: EntryPlace & Head, key: SealKey): string {
  return seal(key, `tongs end 1\n${JSON.stringify([session, seq, hash])}`)
}

/** The chain of a session, as far as its end is concerned. */
export interface EndView {
  readonly lastSeq: number
  readonly hashAt: (seq: number) => string | null
}

/** The first entry after an anchor that no seal of an end covers, if there is one: another program added it. */
export function findAdded(
  sqlite: Sqlite,
  key: SealKey,
  { row, session }: { readonly row: number; readonly session: string },
  { lastSeq, hashAt }: EndView,
): (anchored: number) => number | null {
  return (anchored) => {
    const found = sqlite.statement('SELECT seq, seal FROM end_seal WHERE session = ?').get(row)
    const seq = Number(found?.['seq'] ?? 0)
    const hash = hashAt(seq)
    const isOurs = hash !== null && found?.['seal'] === endSeal({ session, seq, hash }, key)
    const covered = isOurs ? Math.max(seq, anchored) : anchored
    return covered < lastSeq ? covered + 1 : null
  }
}

/** Where the end of a session is said to be sealed. */
export function sealedEndOf(sqlite: Sqlite, row: number): number {
  return Number(sqlite.statement('SELECT seq FROM end_seal WHERE session = ?').get(row)?.['seq'] ?? 0)
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
