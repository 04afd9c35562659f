import type { Actor } from '../../core/call.ts'
import type { Attachment } from '../../core/attachment/attachment.ts'
import type { Digest } from './content.ts'

/** What a note is about that holds the environment in which a conversation began; `data.text` is its payload. */
export const ENVIRONMENT = 'environment'

/**
 * What a note is about that holds the notes for agents of folders which the model has come to work in: `data.folders`,
 * `data.bytes`, and `data.text`, its payload, if there is something to tell.
 */
export const FOLDER_NOTES = 'folder_notes'

/** A message of the conversation is complete. */
export interface SaidEntry {
  readonly kind: 'said'
  readonly turn: string
  readonly role: 'user' | 'assistant' | 'tool'
  /** Payload: the message as JSON. */
  readonly message: Digest
  /** The model that sent or receives it; null if no model is involved. */
  readonly model: string | null
  /** Payload: the results as JSON, if they were copied from another session, whose calls this log does not have. */
  readonly results?: Digest
  /** The pictures and documents that it comes with; their bytes are payloads. */
  readonly attached?: readonly Attachment[]
  /** Set in a copy of a conversation if Tongs told the model, and no person said it. */
  readonly isTold?: true
}

/** `run`, the app or an editor began to use the session, or changed how it is used. */
export interface OpenedEntry {
  readonly kind: 'opened'
  readonly by: 'run' | 'app' | 'editor'
  /** The preset chosen for the session; null if the configuration decides. */
  readonly preset: string | null
  /** Made with the key of the state folder. A preset without it, which another program could have added, is not used. */
  readonly seal: string
}

/** A person named the session. */
export interface TitledEntry {
  readonly kind: 'titled'
  /** Payload: the title. */
  readonly title: Digest
  readonly actor: Actor | null
}

/** Part of a message that is still arriving. */
export interface DraftedEntry {
  readonly kind: 'drafted'
  readonly turn: string
  /** Payload: the part as JSON. */
  readonly part: Digest
}

/** The parts of a message so far are void: its model is asked again, or failed for good. */
export interface VoidedEntry {
  readonly kind: 'voided'
  readonly turn: string
  readonly why: string
}

/** A model requested a call while its message is still arriving. */
export interface StreamedEntry {
  readonly kind: 'streamed'
  readonly turn: string
  /** The call's id if the rest of its message never arrives; a batch assigns its own ids. */
  readonly execution: string
  readonly id: string
  readonly name: string
  /** Payload: the arguments as they arrived. */
  readonly args: Digest
  /** Payload: provider metadata to send back with the call, as JSON. */
  readonly metadata?: Digest
  /** Set if the call was a fenced block in the message text. */
  readonly isFenced?: true
}

/** Calls of a batch wait for a person to supply their results. */
export interface HeldEntry {
  readonly kind: 'held'
  readonly batch: string
  readonly executions: readonly string[]
  /** Made with the key from the calls; absent in logs of earlier versions. A call without a valid one takes no result. */
  readonly seal?: string
}

/**
 * Why a conversation was compacted: the context window was nearly full, a person asked, or the provider refused its size
 * or something attached to it.
 */
export type CompactionCause = 'full' | 'asked' | 'too_long' | 'attached'

/**
 * A compaction point: from here on, the model gets a shorter version of what was said up to `upTo`; the log keeps it in
 * full. It is one entry, so a process that ends before it has compacted nothing.
 */
export interface CondensedEntry {
  readonly kind: 'condensed'
  /** The end of the summary if there is one, else of the shortened results. */
  readonly upTo: number
  /** Payload: the summary that replaces the messages; null if only results are shortened. */
  readonly summary: Digest | null
  /** With a summary: results up to here are shortened too. */
  readonly resultsUpTo?: number
  /** Pictures and documents up to here are left out; absent if none are. */
  readonly attachedUpTo?: number
  /** Set if the shortened results can be read as `tongs:output/ID`. */
  readonly isStored?: true
  /** Absent in entries of earlier versions, as are the tokens of the next request before and after. */
  readonly cause?: CompactionCause
  readonly before?: number
  readonly after?: number
}

/** How many tokens a compaction point saved, in words; empty for one that does not say. */
export function describeCompaction({ before, after }: Pick<CondensedEntry, 'before' | 'after'>): string {
  return before === undefined || after === undefined ? '' : `, ${before} tokens before, ${after} after`
}
