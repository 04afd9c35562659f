import type {
  CondensedEntry,
  DraftedEntry,
  SaidEntry,
  StreamedEntry,
  VoidedEntry,
} from './conversation-entry.ts'

/** What a note is about that begins a delegated conversation; `data.text` is the payload of its role's instructions. */
export const DELEGATION = 'delegation'

/** What a conversation consists of besides its calls. */
export type ConversationEntry = SaidEntry | DraftedEntry | VoidedEntry | StreamedEntry | CondensedEntry

/**
 * Something was said in a delegated conversation. It has a kind of its own, so that whatever reads the conversation of
 * the session does not take it for a part of that.
 */
export interface DelegatedEntry {
  readonly kind: 'delegated'
  /** The call that the conversation belongs to. */
  readonly execution: string
  readonly entry: ConversationEntry
}

/** Calls of a batch wait for their delegated conversations; the batch goes on in a conversation, after `continued`. */
export interface ParkedEntry {
  readonly kind: 'parked'
  readonly batch: string
  readonly executions: readonly string[]
}
