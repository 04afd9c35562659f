import type { JsonObject } from '../core/json/value.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { RetryOptions } from '../model/with-retries.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Limits } from './loop/budget.ts'
import type { ConversationEvent, TurnEvent, Usage } from './events.ts'
import type { LoopState } from './loop/loop-state.ts'
import type { Protocol } from './loop/read-calls.ts'

/** What a conversation is opened with. */
export interface ConversationOptions extends Limits {
  readonly runtime: Runtime
  /** A word such as `anthropic/NAME` or `script:FILE` is opened with the keys of the environment. */
  readonly model: ModelClient | string
  /** Where the server of a model that is given as a word listens, if not at its provider's. */
  readonly baseUrl?: string
  readonly session: string
  /** `auto` uses what the model can do. */
  readonly protocol?: Protocol | 'auto'
  /** Notes of the workspace for the model; without it, those that `conversation.notes` names. Null gives none. */
  readonly notes?: string | null
  /** Shows what calls would do and changes nothing; the conversation itself is kept. */
  readonly dryRun?: boolean
  /** How patient to be with a model that fails; the settings count where it says nothing. */
  readonly retries?: Partial<Omit<RetryOptions, 'onRetry'>>
}

/** What may be said about one turn. */
export interface SendOptions {
  /** Stops the turn as `cancel` does. */
  readonly signal?: AbortSignal
}

/** A conversation with a model over the tools of a runtime, kept in the log of its session. */
export interface Conversation {
  readonly session: string
  /** The model that the next turn is spoken with. */
  readonly model: () => ModelClient
  /**
   * Takes one user turn to its end. Null goes on with what there is to go on with: a turn whose approvals or results
   * have been given, one that was recovered, or one whose model did not answer. One turn is at work at a time in a
   * session; a second `send` meanwhile is an error event.
   */
  readonly send: (text?: string | null, options?: SendOptions) => AsyncIterable<TurnEvent>
  /** The same, with what only screens want to know besides. */
  readonly watch: (text?: string | null, options?: SendOptions) => AsyncIterable<ConversationEvent>
  /**
   * Says something while a turn is at work: the call that runs ends as it ends, the calls after it get `skipped`, and
   * the words are the next user message of the same turn. False where no turn is at work, so that nothing was said.
   */
  readonly steer: (text: string) => boolean
  /** What was said while a turn is at work and the model has not heard yet. */
  readonly unheard: () => readonly string[]
  /** Stops the turn at work: every call of it gets its result, what was said so far is kept, and nothing is sent on. */
  readonly cancel: () => void
  /** Calls that wait for a person to supply their results, in call order. */
  readonly held: () => readonly HeldCall[]
  /** Supplies the result of a held call. When the last one is in, `send(null)` goes on. */
  readonly answerTool: (id: string, answer: ToolAnswer) => AnswerReport
  /** What the conversation takes up of its model, and what it has used. */
  readonly context: () => ContextReport
  /** Goes on with another model from the next turn; what only the old model understands is not sent to the new one. */
  readonly setModel: (model: ModelClient) => void
  /** What of the conversation cannot be read any more and is left out, each as a sentence. */
  readonly damage: () => readonly string[]
  readonly state: () => LoopState
  /** What an interrupted process left of a turn of this session; null where there is nothing to decide. */
  readonly recovery: () => Promise<Recovery | null>
  /** Keeps what finished and tells the model the rest as it is; nothing is run again. `send(null)` goes on. */
  readonly resume: () => Promise<Recovery | null>
  /** Marks every result of the interrupted batch as discarded; nothing is run again. `send(null)` goes on. */
  readonly discard: () => Promise<Recovery | null>
}

/** A call that waits for a person. */
export interface HeldCall {
  readonly id: string
  readonly execution: string
  readonly name: string
  readonly args: JsonObject
  /** Whether its result has been supplied while others are still missing. */
  readonly isAnswered: boolean
}

/** What a person supplies as the outcome of a call. */
export type ToolAnswer = { readonly result: string } | { readonly error: string }

/** What became of an answer. */
export type AnswerReport =
  | {
      readonly ok: true
      /** How many results of the batch are in, and how many there will be. */
      readonly received: number
      readonly expected: number
    }
  | { readonly ok: false; readonly message: string }

/** How far the model's room and the budget are used. */
export interface ContextReport {
  readonly model: string
  /** How much the model can look at; null where nobody knows. */
  readonly context_tokens: number | null
  /** An estimate of what the next request takes up. */
  readonly used_tokens: number
  /** What the next results may weigh together. */
  readonly capacity_bytes: number
  readonly messages: number
  /** Tool results that the model is given as stubs. */
  readonly stubbed_results: number
  /** Messages that the model is given as a summary. */
  readonly summarized_messages: number
  /** Of this session, over all its turns. */
  readonly total: Usage
  /** Of the newest turn. */
  readonly turn: Usage
}

/** A call of an interrupted turn. */
export interface InterruptedCall {
  readonly execution: string
  readonly id: string
  readonly name: string
  /** `received` came in whole and never began. */
  readonly status: 'received' | 'never_started' | 'finished' | 'in_doubt'
  /** Why it is judged so. */
  readonly evidence: string
}

/** What an interrupted turn left. */
export interface Recovery {
  /** What the model had said when its message broke off; null where the message was whole. */
  readonly text: string | null
  readonly calls: readonly InterruptedCall[]
}
