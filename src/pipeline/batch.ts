import type { Decision } from '../core/approval.ts'
import type { ToolResult } from '../core/result.ts'
import type { AskedEntry } from '../journal/entries/entry.ts'
import type { WaitingLanding } from './waiting-landing.ts'
import type { EmitMoves } from './emit-events.ts'
import type { Received } from './step.ts'

/** The calls of one message, recorded and on their way through the stages. */
export interface Batch {
  readonly id: string
  readonly turn: string
  /** Epoch milliseconds. */
  readonly declaredAt: number
  readonly calls: readonly Received[]
  /** Results that calls already had when this process resumed the batch. */
  readonly settled: ReadonlyMap<string, ToolResult>
  /** The questions it waited for, with their answers; null unless the batch is resumed. */
  readonly answered: AnsweredQuestions | null
  /** By execution: calls whose process has ended and whose changes waited for an answer; none unless the batch is resumed. */
  readonly landings: ReadonlyMap<string, WaitingLanding>
  /** Calls whose delegated conversations have begun and go on; none unless the batch is resumed. */
  readonly begun: ReadonlySet<string>
  /** By execution: what is returned instead of a result while a call is held or waits for an answer. */
  readonly notices: Map<string, ToolResult>
  readonly emit: EmitMoves
}

/** Recorded questions, and the answers to them by approval id. */
export interface AnsweredQuestions {
  readonly asked: AskedEntry
  readonly answers: ReadonlyMap<string, Decision>
  /** Set if the log of the batch cannot be relied on, so that none of its calls may run. */
  readonly isDamaged?: boolean
}
