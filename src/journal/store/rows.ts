import type { Content } from '../entries/content.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import type { SharedFindings } from '../entries/entry-text.ts'

/** An entry, ready to be stored. */
export interface EntryRow {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly hash: Digest
  readonly executions: readonly string[]
  /** Whether files have to be landed afterwards. */
  readonly hasChanges: boolean
  /** Absent if it counts without one. */
  readonly seal?: string
  /** Seals everything up to this entry; only the last one of a write has it. */
  readonly end?: string
  /** Whether it marks its call as in doubt: a person decides, and no process lands its files any more. */
  readonly isDoubt: boolean
  readonly body: string
  /** The number under which the text was stored with others; absent if it is stored with the row. */
  readonly packedAs?: bigint
  /** The shared list that the body refers to; null if it is self-contained. */
  readonly shared: SharedFindings | null
}

/** What can be written in one transaction. */
export interface Rows {
  readonly newSession: (key: SessionKey) => number
  /** Whether another process is known to have written to a session that this one owns. */
  readonly isContested: (session: number) => boolean
  /** Throws if another process has written to the session since we did. */
  readonly entry: (session: number, row: EntryRow) => void
  /** Stores contents, unless they are stored already. */
  readonly payload: (digest: Digest, content: Content) => void
  readonly ledger: (session: number, body: string) => void
  /** `at` is when the files landed if they still have to be synced; null if not. */
  readonly landed: (session: number, execution: string, at: number | null) => void
  readonly synced: (session: number, executions: readonly string[]) => void
}
