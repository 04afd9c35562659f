import type { GrantStore } from '../../../journal/grants/grant-store.ts'
import type { Entry, StoredEntry } from '../../../journal/entries/entry.ts'
import type { LogReader } from '../../../journal/log.ts'

/** Seals a text with the key of the state folder. */
export type Seal = (text: string) => string

/** Seals with the key of the store that sessions are in. */
export function sealWith(sessions: { readonly grants: () => GrantStore }): Seal {
  return (text) => sessions.grants().sealAnswer(text)
}

/** A choice for a session that is on record, with the seal of whoever wrote it. */
export interface SealedChoice<T> {
  readonly is: T
  readonly seal: string
}

/** What is chosen: its name, the kind of its entries, and how one is read; null if an entry is about something else. */
export interface ChoiceKind<T> {
  readonly name: string
  readonly kind: Entry['kind']
  readonly read: (entry: Entry) => SealedChoice<T> | null
}

/**
 * The newest choice that is ours. Its seal holds for one session and for its place after the choice before it, so that
 * an entry that another program writes counts for nothing, and neither does a copy of an old one.
 */
export function findNewestSealed<T>(log: Reader, choice: ChoiceKind<T>, seal: Seal): T | null {
  let newest: SealedChoice<T> | null = null
  for (const { found, seq } of choicesIn(log, choice)) {
    if (newest !== null && newest.seal === sealFor(log, choice, newest.is, seq, seal)) return newest.is
    newest = found
  }
  return newest !== null && newest.seal === sealFor(log, choice, newest.is, 0, seal) ? newest.is : null
}

/** The seal of a choice that is recorded next. */
export function sealNext<T>(log: Reader, choice: ChoiceKind<T>, is: T, seal: Seal): string {
  const [before] = choicesIn(log, choice)
  return sealFor(log, choice, is, before?.seq ?? 0, seal)
}

type Reader = Pick<LogReader, 'key' | 'newestFirst'>

function* choicesIn<T>(
  { newestFirst }: Reader,
  { kind, read }: ChoiceKind<T>,
): Iterable<{ readonly found: SealedChoice<T>; readonly seq: number }> {
  const entries: Iterable<StoredEntry> = newestFirst(kind)
  for (const { entry, seq } of entries) {
    const found = read(entry)
    if (found !== null) yield { found, seq }
  }
}

function sealFor<T>(
  { key: { root, name } }: Reader,
  choice: ChoiceKind<T>,
  is: T,
  after: number,
  seal: Seal,
): string {
  return seal(JSON.stringify([choice.name, root, name, after, is]))
}
