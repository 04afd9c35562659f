import type { ErrorView, Phase, ToolError } from '../core/error.ts'
import type { State } from '../core/lifecycle.ts'
import type { FailedResult } from '../core/result.ts'
import { originOf } from './tool-crash.ts'

/** Where an error was met: on a call's way, or in what surrounds it. */
export type ErrorPhase = Phase | 'landing' | 'recovery' | 'asking' | 'watching' | 'internal'

/** What the error handler is told. It may hold more than a model should see, and never goes to one. */
export interface ErrorReport {
  /** As the caller gets it, with its code, class and words. */
  readonly error: ErrorView
  readonly session: string
  /** Null where no single call is meant, like all that follows about a call. */
  readonly execution: string | null
  /** The caller's label. */
  readonly id: string | null
  readonly tool: string | null
  readonly version: string | null
  readonly phase: ErrorPhase
  /** Where the call ended. */
  readonly state: State | null
  /** Of the original throw, where there was one. */
  readonly stack: string | null
  /** What was thrown; undefined where nothing was. */
  readonly cause: unknown
}

/** The report about a failed result; `error` is the one it was made of, which leads to what was thrown for it. */
export function describeFailure(
  { id, name, error: view, execution }: FailedResult,
  { version, phase, session }: Pick<ErrorReport, 'version' | 'phase' | 'session'>,
  error: ToolError | null,
): ErrorReport {
  const cause = error === null ? undefined : originOf(error)
  const call = { execution: execution.id, id, tool: name, version, state: execution.state }
  return { error: view, session, ...call, phase, stack: stackOf(cause), cause }
}

/** The stack of whatever was thrown; things that are no errors have none. */
export function stackOf(thrown: unknown): string | null {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : null
  } catch {
    return null
  }
}
