import type { Digest } from './content.ts'

/** A message of the conversation is complete. */
export interface SaidEntry {
  readonly kind: 'said'
  readonly turn: string
  readonly role: 'user' | 'assistant' | 'tool'
  /** The message, as JSON, lies in the payload with this digest. */
  readonly message: Digest
  /** Which model said or is to hear it; null where none is involved. */
  readonly model: string | null
}

/** A piece of a message that is still coming in. */
export interface DraftedEntry {
  readonly kind: 'drafted'
  readonly turn: string
  /** The piece, as JSON, lies in the payload with this digest. */
  readonly part: Digest
}

/** What had come in of a message does not count any more: its model is asked again, or failed for good. */
export interface VoidedEntry {
  readonly kind: 'voided'
  readonly turn: string
  readonly why: string
}

/** A model has asked for a call while its message is still coming in. */
export interface StreamedEntry {
  readonly kind: 'streamed'
  readonly turn: string
  /** What the call is known by if nothing more of its message comes in; a batch has ids of its own. */
  readonly execution: string
  readonly id: string
  readonly name: string
  /** The arguments as they came, in the payload with this digest. */
  readonly args: Digest
  /** What the provider wants back with the call, as JSON in the payload with this digest. */
  readonly metadata?: Digest
  /** Set where the call stands in the text of the message. */
  readonly isFenced?: true
}

/** Calls of a batch wait for a person to supply their results. */
export interface HeldEntry {
  readonly kind: 'held'
  readonly batch: string
  readonly executions: readonly string[]
}

/** From here on the model is given what was said up to a place in fewer words; the log keeps all of it. */
export interface CondensedEntry {
  readonly kind: 'condensed'
  readonly upTo: number
  /** What stands for the messages, in the payload with this digest; null where only the results in them are shortened. */
  readonly summary: Digest | null
}
