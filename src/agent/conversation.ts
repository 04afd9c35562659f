import type { AttachmentType } from '../core/attachment/attachment.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { RetryOptions } from '../model/with-retries.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Limits } from './loop/budget.ts'
import type { ConversationEvent, TurnEvent, Usage } from './events.ts'
import type { LoopState } from './loop/loop-state.ts'
import type { Protocol } from './loop/read-calls.ts'

/** Options for opening a conversation. */
export interface ConversationOptions extends Limits {
  readonly runtime: Runtime
  /** A client, or a name such as `anthropic/NAME` or `script:FILE`, which is opened with the keys of the environment. */
  readonly model: ModelClient | string
  /** The server of a model given by name, if it is not the provider's own. */
  readonly baseUrl?: string
  readonly session: string
  /** `auto` uses what the model can do. */
  readonly protocol?: Protocol | 'auto'
  /** Workspace notes for the model; by default those that `conversation.notes` names, and the user's. Null gives none. */
  readonly notes?: string | null
  /**
   * What the model is told about the machine and the workspace; by default how they were when the session began. Null
   * tells it nothing.
   */
  readonly environment?: string | null
  /** Shows what calls would do without changing anything; the conversation itself is still recorded. */
  readonly dryRun?: boolean
  /** Opens the model that a role of a delegated conversation names; by default with the keys of the environment. */
  readonly openRoleModel?: (spec: string) => Promise<ModelClient>
  /** Overrides the retry settings. */
  readonly retries?: Partial<Omit<RetryOptions, 'onRetry'>>
}

/** Options of one turn. */
export interface SendOptions {
  /** Stops the turn as `cancel` does. */
  readonly signal?: AbortSignal
  /** Pictures and PDFs that come with the text. The model is shown those that it takes, and told about the others. */
  readonly attached?: readonly Uint8Array[]
}

/** A conversation with a model that uses the tools of a runtime, recorded in the session log. */
export interface Conversation {
  readonly session: string
  /** The model of the next turn. */
  readonly model: () => ModelClient
  /**
   * Runs one user turn to its end. Null continues whatever is unfinished: a turn whose approvals or results have been
   * given, one that was recovered, or one whose model did not answer. A session runs one turn at a time; a second
   * `send` yields an error event.
   */
  readonly send: (text?: string | null, options?: SendOptions) => AsyncIterable<TurnEvent>
  /** The same, with additional events for screens. */
  readonly watch: (text?: string | null, options?: SendOptions) => AsyncIterable<ConversationEvent>
  /**
   * Sends text to the running turn: the running call finishes, the calls after it get `skipped`, and the text becomes
   * the next user message of the same turn. False if no turn is running, so that nothing was sent.
   */
  readonly steer: (text: string) => boolean
  /** Text sent to the running turn that the model has not received yet. */
  readonly unheard: () => readonly string[]
  /** Stops the running turn: every call gets its result, the text so far is kept, and the model is not asked again. */
  readonly cancel: () => void
  /** Held calls that wait for a person to supply their results, in call order. */
  readonly held: () => readonly HeldCall[]
  /** Supplies the result of a held call. After the last one, `send(null)` continues. */
  readonly answerTool: (id: string, answer: ToolAnswer) => AnswerReport
  /**
   * Compacts the conversation now: older results are shortened and the model summarizes older messages, with regard to
   * the words if there are any. The log keeps everything. Not while a turn is running.
   */
  readonly compact: (words?: string, options?: SendOptions) => Promise<CompactReport>
  /** How full the context window is, and what the conversation has used. */
  readonly context: () => ContextReport
  /** The pictures and documents that the model of the next turn is shown. */
  readonly takes: () => readonly AttachmentType[]
  /** Switches to another model from the next turn on; metadata of the old model is not sent to the new one. */
  readonly setModel: (model: ModelClient) => void
  /** The parts of the conversation that are unreadable and left out, each as a sentence. */
  readonly damage: () => readonly string[]
  readonly state: () => LoopState
  /** What an interrupted process left of a turn of this session; null if there is nothing to decide. */
  readonly recovery: () => Promise<Recovery | null>
  /** Keeps finished results and reports the rest to the model as it is; nothing is run again. `send(null)` continues. */
  readonly resume: () => Promise<Recovery | null>
  /** Marks every result of the interrupted batch as discarded; nothing is run again. `send(null)` continues. */
  readonly discard: () => Promise<Recovery | null>
}

/** A call that waits for a person to supply its result. */
export interface HeldCall {
  readonly id: string
  readonly execution: string
  readonly name: string
  readonly args: JsonObject
  /** Whether its result has been supplied while others are still missing. */
  readonly isAnswered: boolean
  /** Why it takes an error and no result: what is stored of it is not what was called. */
  readonly damaged?: string
}

/** What a person supplies as the outcome of a call. */
export type ToolAnswer = { readonly result: string } | { readonly error: string }

/** What became of an answer. */
export type AnswerReport =
  | {
      readonly ok: true
      /** How many results of the batch were received, and how many are expected. */
      readonly received: number
      readonly expected: number
    }
  | { readonly ok: false; readonly message: string }

/** What came of compacting. */
export type CompactReport =
  | {
      readonly ok: true
      /** Tokens of the next request. */
      readonly before: number
      readonly after: number
      /** Tool results that are shortened now, and messages that a summary replaces. */
      readonly results: number
      readonly messages: number
      /** Set if the model gave no summary, so that only results are shortened. */
      readonly lacks_summary?: true
    }
  | { readonly ok: false; readonly message: string }

/** How much of the context window and the budget is used. */
export interface ContextReport {
  readonly model: string
  /** The context window; null if unknown. */
  readonly context_tokens: number | null
  /** What is assumed in its place; null if it is known, or if the model takes any length. */
  readonly assumed_tokens: number | null
  /** The size of the next request, by the provider's last count and an estimate of what is new. */
  readonly used_tokens: number
  /** The most bytes that the next results may have together. */
  readonly capacity_bytes: number
  readonly messages: number
  /** Tool results that the model is given as stubs. */
  readonly stubbed_results: number
  /** Messages that the model is given as a summary. */
  readonly summarized_messages: number
  /** The notes for agents that the model is given: files, and folders that it came to work in. */
  readonly notes: readonly { readonly path: string; readonly bytes: number; readonly is_cut: boolean }[]
  /** Over all turns of this session. */
  readonly total: Usage
  /** In the last turn. */
  readonly turn: Usage
}

/** A call of an interrupted turn. */
export interface InterruptedCall {
  readonly execution: string
  readonly id: string
  readonly name: string
  /** `received`: it arrived complete and never started. */
  readonly status: 'received' | 'never_started' | 'finished' | 'in_doubt' | 'discarded'
  /** The evidence for the status. */
  readonly evidence: string
}

/** What a crash left of several edits of one message. */
export interface InterruptedEdits {
  /** In one line. */
  readonly says: string
  /** The calls whose changes are in place, newest first. */
  readonly inPlace: readonly string[]
}

/** What an interrupted turn left. */
export interface Recovery {
  /** The text of a message that broke off; null if the message was complete. */
  readonly text: string | null
  readonly calls: readonly InterruptedCall[]
  /** Its edits, if there are several; null if not. */
  readonly edits: InterruptedEdits | null
}
