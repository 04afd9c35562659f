import type { TurnChange } from './log/turn-changes.ts'
import type { ApprovalRequest } from '../core/approval.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { State } from '../core/lifecycle.ts'
import type { ToolResult } from '../core/result.ts'
import type { CompactionCause } from '../journal/entries/conversation-entry.ts'
import type { EndReason } from '../model/model-client.ts'
import type { LoopState } from './loop/loop-state.ts'

/** How a turn ended. */
export type Stop = 'end' | 'cancelled' | 'max_iterations' | 'approval_pending' | 'held' | 'budget'

/** Why the last message of a turn is incomplete: too long, refused, or another reason. */
export type Cut = Exclude<EndReason, 'stop' | 'calls'>

/** Tokens used, and their cost. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** How many of the input tokens the provider had cached. */
  readonly cached_tokens: number
  /** By the configured price of the model, in its currency; null if no price is configured. */
  readonly cost: number | null
}

/** Marks what a delegated conversation did: the call that it belongs to, by its label and its execution. */
export interface OfDelegate {
  readonly delegate?: { readonly id: string; readonly execution: string }
}

/** The events of a turn, in order; `tongs run --json` prints these and no others. */
export type TurnEvent =
  | { readonly event: 'turn'; readonly turn: string; readonly session: string; readonly model: string }
  /**
   * With `starts_over`, the message broke off and starts again: discard its text so far. With `another`, a new message
   * begins although no call came in between: what must happen first made the model go on.
   */
  | { readonly event: 'text'; readonly text: string; readonly starts_over?: true; readonly another?: true }
  | ({
      readonly event: 'call'
      readonly id: string
      readonly name: string
      readonly args: JsonObject
    } & OfDelegate)
  | ({ readonly event: 'approval' } & ApprovalRequest)
  | ({
      readonly event: 'output'
      readonly id: string
      readonly stream: 'stdout' | 'stderr'
      readonly chunk: string
    } & OfDelegate)
  | ({ readonly event: 'result' } & ToolResult & OfDelegate)
  /** An interrupted turn was resumed, with how many calls were resolved and how many of them are in doubt. */
  | { readonly event: 'recovered'; readonly calls: number; readonly in_doubt: number }
  | {
      readonly event: 'done'
      readonly stop: Stop
      readonly cut?: Cut
      /** Tools that the rules required and that did not succeed. */
      readonly missing: readonly string[]
      readonly usage: Usage
      /** Every file that the turn changed, commands included. */
      readonly changes: readonly TurnChange[]
    }
  | { readonly event: 'error'; readonly code: string; readonly message: string }

/** Additional events for screens. */
export type ScreenEvent =
  /** The loop entered another state. */
  | { readonly event: 'state'; readonly state: LoopState }
  /** Reasoning text of the model. */
  | { readonly event: 'reasoning'; readonly text: string }
  /** A call of the batch has reached a state of its lifecycle. */
  | ({
      readonly event: 'progress'
      readonly execution: string
      readonly id: string
      readonly name: string
      readonly state: State
    } & OfDelegate)
  /** The request is retried; with `is_void`, discard the text of this message so far. */
  | {
      readonly event: 'retry'
      readonly attempt: number
      readonly delay_ms: number
      readonly is_void: boolean
      readonly message: string
    }
  /** Many changes of a call are being put in place. */
  | ({
      readonly event: 'landing'
      readonly execution: string
      readonly id: string
      readonly done: number
      readonly total: number
    } & OfDelegate)
  /** The user sent text while the turn was running. */
  | { readonly event: 'steered'; readonly text: string }
  /** Older parts of the conversation were shortened for the model; the log keeps them. */
  | {
      readonly event: 'shrunk'
      readonly cause: CompactionCause
      readonly results: number
      readonly messages: number
      /** Tokens of the next request, before and after. */
      readonly before: number
      readonly after: number
    }
  /** Nothing tells how large the context window of the model is; said once for each model of a session. */
  | { readonly event: 'unknown_window'; readonly model: string; readonly assumed_tokens: number }

/** Every event of a conversation. */
export type ConversationEvent = TurnEvent | ScreenEvent

const SCREEN_EVENTS: ReadonlySet<string> = new Set<ScreenEvent['event']>([
  'state',
  'reasoning',
  'progress',
  'landing',
  'retry',
  'steered',
  'shrunk',
  'unknown_window',
])

/** Whether an event is for everyone, not only for screens. */
export function isTurnEvent(event: ConversationEvent): event is TurnEvent {
  return !SCREEN_EVENTS.has(event.event)
}

/** Which required tools did not succeed, in words for the user. */
export function describeMissing(missing: readonly string[]): string {
  return `the rules require ${missing.join(' and ')}, which did not succeed in this turn`
}

const CUTS: Readonly<Record<Cut, string>> = {
  length: 'the answer reached the maximum length and was cut off; say "go on" for the rest',
  refused: 'the model or its provider refused to answer',
  other: 'the model stopped and gave no reason',
}

const CAUSES: Readonly<Record<CompactionCause, string>> = {
  full: 'The context window is nearly full',
  asked: 'As you asked',
  too_long: 'The request was too long for the model',
  attached: 'The provider refused a picture or document',
}

/** A compaction point in words for the user; those of earlier versions say less. */
export function describeShrunk(point: {
  readonly cause?: CompactionCause
  readonly before?: number
  readonly after?: number
  readonly hasSummary: boolean
}): string {
  const { cause, before, after, hasSummary } = point
  const why = cause === undefined ? '' : `${CAUSES[cause]}: `
  const size = before === undefined || after === undefined ? '' : ` from ${before} to ${after} tokens`
  const how = hasSummary ? 'older messages as a summary, older results shortened' : 'older results shortened'
  return `${why}compacted${size} (${how}); the log keeps everything.`
}

/** What is assumed about a model, in words for the user. */
export function describeUnknownWindow(model: string, assumedTokens: number): string {
  return `The context window of ${model} is not known; ${assumedTokens} tokens are assumed. Set model.context_tokens if you know better.`
}

/** Why an answer is incomplete, in words for the user. */
export function describeCut(cut: Cut): string {
  return CUTS[cut]
}
