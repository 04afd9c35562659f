import type { Entry, StoredEntry } from '../../../journal/entries/entry.ts'
import type { LogReader, SessionLog, SessionReader } from '../../../journal/log.ts'

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

/** The newest choice, with its place in the log. */
export interface NewestChoice<T> {
  readonly is: T
  readonly seq: number
}

/**
 * The newest choice that is ours. Its seal holds for one session, wherever its folder is by now, and for its place after
 * the choice before it, so that an entry that another program writes counts for nothing, and neither does a copy of an
 * old one.
 */
export function findNewestSealed<T>(log: Reader, choice: ChoiceKind<T>): NewestChoice<T> | null {
  const isOurs = ({ found, seq }: FoundChoice<T>, after: number): NewestChoice<T> | null =>
    found.seal === sealFor(log, choice, found.is, after) ? { is: found.is, seq } : null
  let newest: FoundChoice<T> | null = null
  for (const one of choicesIn(log, choice)) {
    const ours = newest === null ? null : isOurs(newest, one.seq)
    if (ours !== null) return ours
    newest = one
  }
  return newest === null ? null : isOurs(newest, 0)
}

/** What can be relied on: the newest choice, if there is one, or why the log does not show which it was. */
export type Relied<T> =
  | { readonly ok: true; readonly newest: NewestChoice<T> | null }
  | { readonly ok: false; readonly why: 'is not sealed' | 'does not verify' }

/**
 * The newest choice if it was the last one: none is on record after it, ours or not, and none is hidden or lost, because
 * the tables lead to every entry since and each matches its hash. Without a choice, that of the whole session.
 */
export function relyOnNewest<T>(log: Reader & Verified, choice: ChoiceKind<T>): Relied<T> {
  const newest = findNewestSealed(log, choice)
  const [last] = choicesIn(log, choice)
  if (last?.seq !== newest?.seq) return { ok: false, why: 'is not sealed' }
  const [entry] = log.newestFirst()
  const holds = entry === undefined || log.verifies(newest?.seq ?? 1)
  return holds ? { ok: true, newest } : { ok: false, why: 'does not verify' }
}

type Verified = Pick<SessionReader, 'verifies'>

/** The own log of a process, as those read it who do not own it. */
export function verifying(log: SessionLog): Reader & Verified {
  const { newestFirst, sealOf, breach, holdsFrom } = log
  return { newestFirst, sealOf, verifies: (from = 1) => breach === null && holdsFrom(from) }
}

/** So many entries after a choice it is recorded anew, so that there is little to check before it is relied on. */
const RENEWED_AFTER = 500

/** Whether a choice has to be recorded: another one is on record, it was long ago, or it could not be relied on. */
export function isToRecord<T>(log: SessionLog, choice: ChoiceKind<T>, isSame: (is: T) => boolean): boolean {
  const newest = findNewestSealed(log, choice)
  if (newest === null || !isSame(newest.is) || log.latestSeq() - newest.seq > RENEWED_AFTER) return true
  return !relyOnNewest(verifying(log), choice).ok
}

/** The seal of a choice that is recorded next. */
export function sealNext<T>(log: Reader, choice: ChoiceKind<T>, is: T): string {
  const [before] = choicesIn(log, choice)
  return sealFor(log, choice, is, before?.seq ?? 0)
}

type Reader = Pick<LogReader, 'newestFirst' | 'sealOf'>

interface FoundChoice<T> {
  readonly found: SealedChoice<T>
  readonly seq: number
}

function* choicesIn<T>({ newestFirst }: Reader, { kind, read }: ChoiceKind<T>): Iterable<FoundChoice<T>> {
  const entries: Iterable<StoredEntry> = newestFirst(kind)
  for (const { entry, seq } of entries) {
    const found = read(entry)
    if (found !== null) yield { found, seq }
  }
}

function sealFor<T>({ sealOf }: Reader, choice: ChoiceKind<T>, is: T, after: number): string {
  return sealOf(JSON.stringify(['choice', choice.name, after, is]))
}
