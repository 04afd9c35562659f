import type { Digest, SessionKey } from '../entries/entry.ts'
import type { SharedFindings } from '../entries/entry-text.ts'

/** An entry, ready to be stored. */
export interface EntryRow {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly hash: Digest
  readonly executions: readonly string[]
  /** Whether files have to be put in place afterwards. */
  readonly hasChanges: boolean
  /** Whether it leaves its call to a person, so that nobody is about to put files in place any more. */
  readonly isDoubt: boolean
  readonly body: string
  /** What the body takes for granted; null where it says everything itself. */
  readonly shared: SharedFindings | null
}

/** What can be written in one transaction. */
export interface Rows {
  readonly newSession: (key: SessionKey) => number
  /** Fails if anybody else has written to the session since we did. */
  readonly entry: (session: number, row: EntryRow) => void
  /** Stores contents, unless they are there. */
  readonly payload: (digest: Digest, bytes: Uint8Array) => void
  readonly ledger: (session: number, body: string) => void
  /** The time is that of files which are in place and may not have reached the disk; null where that is no matter. */
  readonly landed: (session: number, execution: string, at: number | null) => void
  readonly synced: (session: number, executions: readonly string[]) => void
}
