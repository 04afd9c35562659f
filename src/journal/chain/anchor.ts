import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { CHAIN_START } from './chain.ts'
import type { Head } from './chain.ts'
import type { Digest } from '../entries/entry.ts'

/** How a chain can contradict its anchor; the words follow "entry N". */
export const BREACHES = {
  missing: 'cannot be verified: the anchor outside the database is missing',
  forged: 'cannot be verified: the anchor outside the database does not have a valid seal',
  swapped: 'is in another database than the anchor was made for',
  cut: 'is missing: the end was cut off, or an old copy was put back',
  added: 'was inserted while the log was closed',
  unsealed:
    'has no seal at the end of the log: another program added it after a process was killed, or an earlier version recorded it',
  rewritten: 'is not the one that was recorded: the log was rewritten',
  unlisted:
    'was closed after the newest closing on record: closings are missing, as if another session had been put back to an older state',
} as const

/** A contradiction, and the first entry it concerns. */
export interface AnchorBreach {
  readonly seq: number
  readonly is: keyof typeof BREACHES
}

/** What is recorded about a chain outside the database, so that changes to the database are noticed. */
export interface Anchor {
  readonly database: string
  /** The session's id in the chain, or `store` for the database as a whole. */
  readonly of: string
  /** The newest entry when the anchor was written; a power cut may have lost it since. */
  readonly head: Head
  /** The newest entry that was on disk when the anchor was written; it cannot be lost by accident. */
  readonly synced: Head
  /** Whether the log may have been open for writing; a closed log has no entries after its head. */
  readonly isOpen: boolean
  /** The first contradiction ever found. It stays, whatever is appended later. */
  readonly breach: AnchorBreach | null
  /**
   * The newest closing that was known and on disk when the anchor was written. So an old anchor, the old state of its
   * session and the old end of the closings cannot be put back alone: whatever was used since knows better.
   */
  readonly closings: Head
  /** What an anchor of an earlier version knows of the chain of grants. */
  readonly grants?: Head
}

/** An anchor as it was found. */
export type FoundAnchor = Anchor | 'missing' | 'forged'

/** What is compared with an anchor. */
export interface ChainView {
  readonly database: string
  readonly lastSeq: number
  readonly hashAt: (seq: number) => Digest | null
  /** The head of its newest closing; null or absent if there is none. */
  readonly closed?: Head | null
  /** All closings; absent if the anchor is not to be compared with them. */
  readonly closings?: Pick<ChainView, 'lastSeq' | 'hashAt'>
  /** The first entry after this one that was not recorded by a process with the key; absent if that is not looked at. */
  readonly addedAfter?: (seq: number) => number | null
}

/** Records are overwritten in place; each fits one sector of the disk. */
export const RECORD_BYTES = 512

const START: Head = { seq: 0, hash: CHAIN_START }
const MAGIC = 'tongs-anchor-2'
const FORMER_MAGIC = 'tongs-anchor-1'
const OPEN = 'open'
const CLOSED = 'closed'
const NONE = '-'

/** The anchor of a chain without entries. */
export function firstAnchor(database: string, of: string, breach: AnchorBreach | null): Anchor {
  return { database, of, head: START, synced: START, isOpen: true, breach, closings: START }
}

/** Formats an anchor as a record of fixed size, sealed with the key. */
export function formatAnchor(anchor: Anchor, key: SealKey): string {
  const { database, of, head, synced, isOpen, breach, closings } = anchor
  const places = `${head.seq} ${head.hash} ${synced.seq} ${synced.hash}`
  const status = `${isOpen ? OPEN : CLOSED} ${breach?.seq ?? 0} ${breach?.is ?? NONE}`
  const known = closings.seq === 0 ? '' : ` ${closings.seq} ${closings.hash}`
  const text = `${MAGIC} ${database} ${of} ${places} ${status}${known}`
  return `${text} ${seal(key, text)}`.padEnd(RECORD_BYTES - 1) + '\n'
}

/** Parses a record; one that was not sealed with the key is forged. */
export function parseAnchor(record: string, key: SealKey): Anchor | 'forged' {
  const words = record.trimEnd().split(' ')
  const mac = words.pop()
  const [magic, database, of, seq, hash, syncedSeq, syncedHash, status, breachSeq, breach, ...known] = words
  const [knownSeq, knownHash] = known
  const isFormer = magic === FORMER_MAGIC
  if ((magic !== MAGIC && !isFormer) || mac !== seal(key, words.join(' '))) return 'forged'
  if (database === undefined || of === undefined || hash === undefined || syncedHash === undefined)
    return 'forged'
  return {
    database,
    of,
    head: { seq: Number(seq), hash },
    synced: { seq: Number(syncedSeq), hash: syncedHash },
    isOpen: status === OPEN,
    breach: isBreach(breach) ? { seq: Number(breachSeq), is: breach } : null,
    closings: START,
    ...(knownHash === undefined
      ? {}
      : { [isFormer ? 'grants' : 'closings']: { seq: Number(knownSeq), hash: knownHash } }),
  }
}

/** Compares a chain with its anchor. The chain may be ahead; the anchor may be ahead only by unsynced entries. */
export function judgeAnchor(found: FoundAnchor, chain: ChainView): AnchorBreach | null {
  const { lastSeq } = chain
  if (found === 'missing') return lastSeq === 0 ? null : { seq: lastSeq, is: 'missing' }
  if (found === 'forged') return { seq: lastSeq, is: 'forged' }
  if (found.breach !== null) return found.breach
  if (found.database !== chain.database) return { seq: lastSeq, is: 'swapped' }
  const { head, synced, isOpen } = found
  if (synced.seq > lastSeq) return { seq: lastSeq + 1, is: 'cut' }
  const wrong = [synced, head].find(
    ({ seq, hash }) => seq > 0 && seq <= lastSeq && chain.hashAt(seq) !== hash,
  )
  if (wrong !== undefined) return { seq: wrong.seq, is: 'rewritten' }
  if (!isOpen && lastSeq > head.seq) return { seq: head.seq + 1, is: 'added' }
  const added = lastSeq > head.seq ? (chain.addedAfter?.(head.seq) ?? null) : null
  if (added !== null) return { seq: added, is: 'unsealed' }
  const closed = judgeKnown(chain.closed === undefined || chain.closed === null ? [] : [chain.closed], chain)
  if (closed !== null || chain.closings === undefined) return closed
  return judgeKnown([found.closings], chain.closings) === null ? null : { seq: lastSeq, is: 'unlisted' }
}

/** Compares a chain with what anchors of others know of it. */
export function judgeKnown(
  known: Iterable<Head>,
  { lastSeq, hashAt }: Pick<ChainView, 'lastSeq' | 'hashAt'>,
): AnchorBreach | null {
  for (const { seq, hash } of known) {
    if (seq > lastSeq) return { seq: lastSeq + 1, is: 'cut' }
    if (seq > 0 && hashAt(seq) !== hash) return { seq, is: 'rewritten' }
  }
  return null
}

function isBreach(word: string | undefined): word is keyof typeof BREACHES {
  return word !== undefined && Object.hasOwn(BREACHES, word)
}
