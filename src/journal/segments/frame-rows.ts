import { bytesOf } from '../entries/content.ts'
import type { Content } from '../entries/content.ts'
import type { Digest } from '../entries/entry.ts'
import type { SharedFindings } from '../entries/entry-text.ts'
import type { EntryRow, Rows } from '../store/rows.ts'
import type { WaitingRow } from './frame.ts'

/** What has to be known of rows before they can wait in a segment. */
export interface FrameFacts {
  /** Whether the database holds a list of findings for certain. */
  readonly isShared: (shared: SharedFindings) => boolean
  /** Whether another process has written to a session that this one owns. */
  readonly isContested: (session: number) => boolean
  /** Whether a payload waits already, with an entry that mentions it. */
  readonly isWaiting: (digest: Digest) => boolean
}

/** Collects rows that can wait in a segment. What has a seal, lands or begins a session cannot: others must see it at once. */
export class FrameRows implements Rows {
  readonly rows: WaitingRow[] = []
  readonly #facts: FrameFacts
  #isPlain = true
  #hasEntries = false

  constructor(facts: FrameFacts) {
    this.#facts = facts
  }

  /** Whether everything that was written can wait. */
  get isPlain(): boolean {
    return this.#isPlain
  }

  get hasEntries(): boolean {
    return this.#hasEntries
  }

  isContested(session: number): boolean {
    return this.#facts.isContested(session)
  }

  newSession(): number {
    this.#isPlain = false
    return 0
  }

  entry(session: number, entry: EntryRow): void {
    const { hasChanges, seal, isDoubt, shared } = entry
    const isPlain = !hasChanges && seal === undefined && !isDoubt
    const isKnown = shared === null || this.#facts.isShared(shared)
    if (!isPlain || !isKnown || this.#facts.isContested(session)) this.#isPlain = false
    this.#hasEntries = true
    // Only what is stored: the rest would be kept alive for as long as the row waits.
    const { seq, at, kind, hash, executions, body, end } = entry
    const sealed = end === undefined ? {} : { end }
    this.rows.push({ is: 'entry', session, entry: { seq, at, kind, hash, executions, body, ...sealed } })
  }

  payload(digest: Digest, content: Content): void {
    if (!this.#facts.isWaiting(digest)) this.rows.push({ is: 'payload', digest, bytes: bytesOf(content) })
  }

  ledger(session: number, body: string): void {
    this.rows.push({ is: 'ledger', session, body })
  }

  landed(): void {
    this.#isPlain = false
  }

  synced(): void {
    this.#isPlain = false
  }
}
