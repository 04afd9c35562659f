import type { ApprovalRequest } from '../core/approval.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/result.ts'

/** How a turn ended. */
export type Stop = 'end' | 'cancelled' | 'max_iterations' | 'approval_pending' | 'held' | 'budget'

/** What a turn used. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
}

/** What a watcher of a conversation is told, in order. */
export type ConversationEvent =
  | { readonly event: 'turn'; readonly turn: string; readonly model: string }
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | ({ readonly event: 'approval' } & ApprovalRequest)
  | {
      readonly event: 'output'
      readonly id: string
      readonly stream: 'stdout' | 'stderr'
      readonly chunk: string
    }
  | ({ readonly event: 'result' } & ToolResult)
  | { readonly event: 'recovered'; readonly calls: number }
  | { readonly event: 'done'; readonly stop: Stop; readonly usage: Usage }
  | { readonly event: 'error'; readonly code: string; readonly message: string }
