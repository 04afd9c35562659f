import type { Decision } from '../core/approval.ts'
import type { ToolResult } from '../core/result.ts'
import type { AskedEntry } from '../journal/entries/entry.ts'
import type { EmitMoves } from './emit-events.ts'
import type { Received } from './step.ts'

/** The calls of one message, on record, on their way down the corridor. */
export interface Batch {
  readonly id: string
  readonly turn: string
  /** Epoch milliseconds. */
  readonly declaredAt: number
  readonly calls: readonly Received[]
  /** Results that calls already had when this process took the batch up. */
  readonly settled: ReadonlyMap<string, ToolResult>
  /** The questions it waited for, with their answers; null unless it is taken up again. */
  readonly answered: AnsweredQuestions | null
  /** Stand in a result's place while a call waits for an answer or is held, by execution. */
  readonly notices: Map<string, ToolResult>
  readonly emit: EmitMoves
}

/** Questions on record, and the answers to them by approval id. */
export interface AnsweredQuestions {
  readonly asked: AskedEntry
  readonly answers: ReadonlyMap<string, Decision>
}
