import type { ErrorView, Phase, ToolError } from '../core/error.ts'
import type { State } from '../core/lifecycle.ts'
import type { FailedResult } from '../core/result.ts'
import { originOf } from './tool-crash.ts'

/** Where an error occurred: in a stage of a call, or outside of any. */
export type ErrorPhase = Phase | 'landing' | 'recovery' | 'asking' | 'watching' | 'internal'

/** What the error handler receives. It may contain more than a model should see, and is never sent to one. */
export interface ErrorReport {
  /** As the caller gets it, with its code, class and message. */
  readonly error: ErrorView
  readonly session: string
  /** Null if the error is not about a single call, as are the other fields about a call. */
  readonly execution: string | null
  /** The caller's label. */
  readonly id: string | null
  readonly tool: string | null
  readonly version: string | null
  readonly phase: ErrorPhase
  /** Where the call ended. */
  readonly state: State | null
  /** Of the value that was thrown, if any. */
  readonly stack: string | null
  /** The value that was thrown; undefined if nothing was. */
  readonly cause: unknown
}

/** The report about a failed result; `error` is the one it was made from, which leads to the thrown value. */
export function describeFailure(
  { id, name, error: view, execution }: FailedResult,
  { version, phase, session }: Pick<ErrorReport, 'version' | 'phase' | 'session'>,
  error: ToolError | null,
): ErrorReport {
  const cause = error === null ? undefined : originOf(error)
  const call = { execution: execution.id, id, tool: name, version, state: execution.state }
  return { error: view, session, ...call, phase, stack: stackOf(cause), cause }
}

/** The stack of a thrown value; null if it is not an error. */
export function stackOf(thrown: unknown): string | null {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : null
  } catch {
    return null
  }
}
