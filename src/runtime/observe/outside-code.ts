import type { Approver } from '../../core/approval.ts'
import { viewError } from '../../core/error.ts'
import type { Soon } from '../../core/wait.ts'
import { internalError } from '../../pipeline/tool-crash.ts'
import { stackOf } from '../../pipeline/error-report.ts'
import type { ErrorPhase, ErrorReport } from '../../pipeline/error-report.ts'
import { UNWATCHED } from '../../pipeline/emit-events.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'

/** Receives every error, with more detail than a model gets. */
export type ErrorHandler = (report: ErrorReport) => void | Promise<void>

/** Reports an error; unlike the handler behind it, it never throws. */
export type Report = (report: ErrorReport) => void

/** Wraps the handler so that it can neither throw nor delay anything. */
export function guardErrorHandler(handler: ErrorHandler | undefined): Report {
  if (handler === undefined) return () => undefined
  return (report) => {
    try {
      // An asynchronous handler may fail later; nothing waits for it.
      Promise.resolve(handler(report)).catch(() => undefined)
    } catch {
      // There is no one left to report this to.
    }
  }
}

/** Receives the events of a batch. */
export type Watcher = (event: LiveEvent) => unknown

/** Combines several watchers; one that throws does not stop a call. */
export function guardWatchers(
  watchers: readonly (Watcher | undefined)[],
  session: string,
  report: Report,
): (event: LiveEvent) => void {
  if (watchers.every((watcher) => watcher === undefined)) return UNWATCHED
  const present = watchers.filter((watcher) => watcher !== undefined)
  const onFault = (thrown: unknown): void => report(describeFault(thrown, 'watching', session))
  return (event) => {
    for (const watch of present) {
      try {
        const pending = watch(event)
        if (pending instanceof Promise) pending.catch(onFault)
      } catch (thrown) {
        onFault(thrown)
      }
    }
  }
}

/** Reports an approver that throws. The pipeline decides what that means for the call. */
export function guardApprover(approve: Approver, session: string, report: Report): Approver {
  return async (requests, asking) => {
    try {
      return await approve(requests, asking)
    } catch (thrown) {
      report(describeFault(thrown, 'asking', session))
      throw thrown
    }
  }
}

/**
 * Reports a failure of the work as a whole, and passes it on. The work begins after the caller has its promise: before
 * that it could not be cancelled, and its events would come too early to be understood.
 */
export async function reportFaults<T>(session: string, report: Report, work: () => Soon<T>): Promise<T> {
  await undefined
  try {
    const working = work()
    return working instanceof Promise ? await working : working
  } catch (thrown) {
    report(describeFault(thrown, 'internal', session))
    throw thrown
  }
}

function describeFault(thrown: unknown, phase: ErrorPhase, session: string): ErrorReport {
  const error = viewError(internalError(thrown), 'before')
  const call = { execution: null, id: null, tool: null, version: null, state: null }
  return { error, session, ...call, phase, stack: stackOf(thrown), cause: thrown }
}
