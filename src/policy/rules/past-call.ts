import type { RuleType } from '../../config/rule-types.ts'
import type { Origin } from '../../core/call.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { Effect } from '../../core/tool.ts'

/** A settled call, as far as rules look back. */
export interface PastCall {
  readonly execution: string
  readonly turn: string
  readonly pass: string
  readonly tool: string
  /** Null if no such tool exists. */
  readonly effect: Effect | null
  readonly repeatable: boolean
  /** The digest of the arguments as canonical JSON, so that key order does not matter. */
  readonly argsDigest: string
  readonly ok: boolean
  /** Set if it ended well, but its result is not the success that rules ask for, such as tests that failed. */
  readonly fellShort?: true
  readonly code: ErrorCode | null
  /** Epoch milliseconds. */
  readonly at: number
  /** Whether its tool was started, however it ended. */
  readonly hasRun: boolean
  readonly origin: Origin
  /** How often the workspace had changed when the call was about to run; for a command, when it had ended. */
  readonly workspaceCounter: number
  /** Set if nothing can be left of what it did: a command on a layer that changed nothing. */
  readonly leftNothing?: true
  /** Set if its result tells of a failure, such as a command that exits with 1. */
  readonly hasFailed?: true
  /** Set if it was not given the time that its tool and the user give it, and it may have acted all the same. */
  readonly cutShort?: true
  /** The type of the rule that refused it, or null. */
  readonly rule: RuleType | null
}

/** A batch as far as rules look back: its turn and pass, and how many calls it has. */
export interface PastBatch {
  readonly turn: string
  readonly pass: string
  readonly calls: number
  readonly at: number
}

/**
 * True for a call that counts: its tool ran. An edit that a person stopped midway does not count, but a command has run,
 * whatever becomes of what it changed.
 */
export function hasCounted(past: PastCall): boolean {
  return past.ok || (past.hasRun && (past.code !== 'approval_denied' || past.effect === 'spawn'))
}

/** True for a run that failed by itself, not because it was stopped or its end was not seen. */
export function hasFailed(past: PastCall): boolean {
  return !past.ok && hasCounted(past) && past.code !== 'cancelled' && past.code !== 'in_doubt'
}

/** True for a call that meets a rule which requires its tool to succeed. */
export function hasSatisfied(past: Pick<PastCall, 'ok' | 'fellShort'>): boolean {
  return past.ok && past.fellShort !== true
}
