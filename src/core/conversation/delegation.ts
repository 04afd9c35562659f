import type { ToolError } from '../error.ts'
import type { JsonObject } from '../json/value.ts'

/** A piece of work that a call hands to a conversation of its own. */
export interface DelegatedTask {
  readonly task: string
  /** A role of the user or the project; absent means the instructions of any conversation. */
  readonly role?: string
  /** The tools it may use; those that its caller does not have are absent. */
  readonly tools?: readonly string[]
  readonly max_requests?: number
  readonly max_tokens?: number
  readonly max_seconds?: number
}

/** A file that the calls of a conversation changed. */
export interface DelegatedChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
}

/** What a delegated conversation came to. */
export interface DelegatedWork {
  /** Its last message. */
  readonly text: string
  /** Why it stopped: it was done, its budget or its rounds were used up, or its message broke off. */
  readonly stop: 'end' | 'budget' | 'max_iterations' | 'cut'
  readonly calls: number
  readonly requests: number
  readonly tokens: number
  readonly changes: readonly DelegatedChange[]
}

/** A delegated conversation to hold: the call it belongs to, and what bounds it. */
export interface DelegatedRequest {
  readonly execution: string
  /** The caller's label of the call. */
  readonly id: string
  readonly args: JsonObject
  /** The most time that its call has. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** How a delegated conversation stands: ended, failed, or waiting for a person. */
export type DelegatedEnd =
  | { readonly is: 'ended'; readonly work: DelegatedWork }
  | { readonly is: 'failed'; readonly error: ToolError }
  | { readonly is: 'waiting' }

/** What a conversation offers to calls that need one. */
export interface Delegating {
  /** Whether what a call delegates can only read, so that it may go on beside others of its kind. */
  readonly onlyReads: (args: JsonObject) => boolean
  /** Holds the conversation of a call to its end, or goes on with the one that is on record. */
  readonly hold: (request: DelegatedRequest) => Promise<DelegatedEnd>
}

/** Holds a conversation for the call that is handed this. */
export type Converse = () => Promise<DelegatedWork>
