import type { Digest, SessionKey } from '../entries/entry.ts'

/** The first problem; `seq` is 0 if it is not about a single entry. */
export interface FirstBad {
  /** The session's name; empty if the problem is about the whole store. */
  readonly session: string
  readonly root: string
  readonly seq: number
  readonly why: string
}

/** The result of checking the journal. */
export interface VerifyReport {
  readonly ok: boolean
  readonly events: number
  readonly sessions: number
  readonly first_bad: FirstBad | null
  /** Payloads that entries refer to but that have been erased. */
  readonly erased: number
  /** Damaged entries and contents that `tongs repair` has sealed. */
  readonly sealed: number
  /** How often `tongs repair` accepted a log that contradicted its anchor, as after its end was cut off. */
  readonly breaches: number
  /** The number of entries, and a hash over all of them; null if not all could be read. Keep it to verify from here. */
  readonly head: { readonly events: number; readonly hash: Digest } | null
  /** The head that was asked for, and how many entries follow it; null if none was asked for or it was not found. */
  readonly since: { readonly hash: Digest; readonly entries_after: number } | null
  /** What the witness was compared on; null if there is none. */
  readonly witness: {
    readonly heads: number
    readonly other_journals: number
    /** Lines that were not written to their end, as by a crash. */
    readonly torn_lines: number
  } | null
}

/** What a check counted and found, whether or not all is well. */
export type Found = Pick<
  VerifyReport,
  'events' | 'sessions' | 'erased' | 'sealed' | 'breaches' | 'since' | 'witness' | 'head'
>

/** Nothing was read. */
export const NOTHING: Found = {
  events: 0,
  sessions: 0,
  erased: 0,
  sealed: 0,
  breaches: 0,
  since: null,
  witness: null,
  head: null,
}

/** The report about what was found and the first problem. */
export function report(found: Found, first_bad: FirstBad | null): VerifyReport {
  const { events, sessions, erased, sealed, breaches, head, since, witness } = found
  return {
    ok: first_bad === null,
    events,
    sessions,
    first_bad,
    erased,
    sealed,
    breaches,
    head,
    since,
    witness,
  }
}

/** A problem with one entry. */
export function entryFault(key: SessionKey | null, seq: number, why: string): FirstBad {
  return { session: key?.name ?? '', root: key?.root ?? '', seq, why: `entry ${seq} ${why}` }
}

/** A problem with the whole store. */
export function storeFault(why: string): FirstBad {
  return { session: '', root: '', seq: 0, why }
}

/** A head that is known from earlier is not in the log. */
export function unknownHead(hash: Digest): FirstBad {
  return storeFault(
    `the head ${hash} is not in the log: it was rewritten, cut off before it, or restored from an older copy`,
  )
}

/** A hash that is known from earlier stands in the log, but only in an entry that a repair sealed. */
export function sealedHead(hash: Digest): FirstBad {
  return storeFault(
    `the head ${hash} is only named by an entry that was sealed as damaged, which proves nothing: that entry is lost, or an older copy was put back`,
  )
}
