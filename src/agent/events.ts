import type { ApprovalRequest } from '../core/approval.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { State } from '../core/lifecycle.ts'
import type { ToolResult } from '../core/result.ts'
import type { EndReason } from '../model/model-client.ts'
import type { LoopState } from './loop/loop-state.ts'

/** How a turn ended. */
export type Stop = 'end' | 'cancelled' | 'max_iterations' | 'approval_pending' | 'held' | 'budget'

/** Why the last message of a turn is not what the model meant to say: too long, refused, or a reason without a name. */
export type Cut = Exclude<EndReason, 'stop' | 'calls'>

/** What was used of a model. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** How many of the input tokens the provider had kept from earlier requests. */
  readonly cached_tokens: number
  /** By the configured price of the model, in whatever money that is in; null where none is configured. */
  readonly cost: number | null
}

/** What any watcher of a turn is told, in order; `tongs run --json` prints these and no others. */
export type TurnEvent =
  | { readonly event: 'turn'; readonly turn: string; readonly model: string }
  /** Where `starts_over`, the message broke off and is said anew: its text so far does not count any more. */
  | { readonly event: 'text'; readonly text: string; readonly starts_over?: true }
  | { readonly event: 'call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | ({ readonly event: 'approval' } & ApprovalRequest)
  | {
      readonly event: 'output'
      readonly id: string
      readonly stream: 'stdout' | 'stderr'
      readonly chunk: string
    }
  | ({ readonly event: 'result' } & ToolResult)
  /** An interrupted turn was taken up; how many of its calls were dealt with, and how many of them are in doubt. */
  | { readonly event: 'recovered'; readonly calls: number; readonly in_doubt: number }
  | { readonly event: 'done'; readonly stop: Stop; readonly cut?: Cut; readonly usage: Usage }
  | { readonly event: 'error'; readonly code: string; readonly message: string }

/** What only a screen wants to know besides. */
export type ScreenEvent =
  /** The loop has moved on. */
  | { readonly event: 'state'; readonly state: LoopState }
  /** What the model thinks aloud. */
  | { readonly event: 'reasoning'; readonly text: string }
  /** A call of the batch has reached a state of its lifecycle. */
  | {
      readonly event: 'progress'
      readonly execution: string
      readonly id: string
      readonly name: string
      readonly state: State
    }
  /** The model is asked again; where `is_void`, the text of this message that was handed out before does not count. */
  | {
      readonly event: 'retry'
      readonly attempt: number
      readonly delay_ms: number
      readonly is_void: boolean
      readonly message: string
    }
  /** Words of the person went in while the turn was at work. */
  | { readonly event: 'steered'; readonly text: string }
  /** Older parts of the conversation were shortened for the model; the log keeps them. */
  | { readonly event: 'shrunk'; readonly results: number; readonly messages: number }

/** Everything a conversation tells. */
export type ConversationEvent = TurnEvent | ScreenEvent

const SCREEN_EVENTS: ReadonlySet<string> = new Set<ScreenEvent['event']>([
  'state',
  'reasoning',
  'progress',
  'retry',
  'steered',
  'shrunk',
])

/** Whether an event is for every watcher, and not for screens alone. */
export function isTurnEvent(event: ConversationEvent): event is TurnEvent {
  return !SCREEN_EVENTS.has(event.event)
}

const CUTS: Readonly<Record<Cut, string>> = {
  length: 'the answer reached the maximum length and was cut off; say "go on" for the rest',
  refused: 'the model or its provider refused to answer',
  other: 'the model stopped and gave no reason',
}

/** Why an answer is short, or none, in words for the person who waits for it. */
export function describeCut(cut: Cut): string {
  return CUTS[cut]
}
