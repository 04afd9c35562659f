import { cancelledError, ERRORS } from '../../core/error.ts'
import type { ErrorFacts, ToolError } from '../../core/error.ts'
import type { Tool } from '../../core/tool.ts'
import { waitFor } from '../../core/wait.ts'
import type { Attempt } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import type { Ending, Finish } from './ending.ts'
import type { Consent } from './recheck.ts'
import { runInTransaction } from './run-in-transaction.ts'
import type { Outcome, ReadyAttempt } from './ready-attempt.ts'
import { timeoutOf } from './run-tool.ts'

/** An attempt that failed. */
export type FailedOutcome = Outcome & { readonly end: Extract<Finish, { ok: false }> }

/** Whether a failed call may run again: it ran out of time or resources, and repeating it is safe. */
export function mayRetry(tool: Tool, outcome: Outcome, run: Run): outcome is FailedOutcome {
  const { end } = outcome
  if (end.ok) return false
  const facts: ErrorFacts = ERRORS[end.error.code]
  // A started process may have done part of its work.
  const isTransient =
    facts.class === 'ResourceError' || (facts.class === 'TimeoutError' && end.phase !== 'process')
  // What a service outside may have done is done once, however often it is asked with the same key.
  const { effects } = end.error.details
  const leftNothing = effects === undefined || effects === 'unknown'
  return isTransient && leftNothing && tool.idempotent && !run.isDryRun && !run.signal.aborted
}

/** Retries a failed call. All attempts and the pauses between them share one time budget. */
export async function retry(
  failed: FailedOutcome,
  attempt: ReadyAttempt,
  run: Run,
): Promise<Omit<Outcome, 'consent'> & Required<Pick<Ending, 'attempts'>>> {
  const { engine } = run
  const { tool, call, allowance } = attempt
  let outcome: Outcome = failed
  const started = engine.clock.elapsed() - failed.durationMs
  const budgetMs = timeoutOf(tool, call, engine) * engine.settings['tools.retry.timeout_factor']
  const leftMs = (): number => budgetMs - (engine.clock.elapsed() - started)
  const attempts: Attempt[] = []
  for (let count = 1; count <= engine.settings['tools.retry.max']; count++) {
    if (!mayRetry(tool, outcome, run)) break
    const waitMs = engine.settings['tools.retry.backoff_seconds'] * 1000 * 2 ** (count - 1)
    if (waitMs >= leftMs()) break
    const noted = describeAttempt(outcome, count, engine.clock.now())
    attempts.push(noted)
    // Recorded before the next attempt, so that a crash does not hide how often it was tried.
    run.log.append({
      entries: [{ kind: 'note', about: 'attempt', execution: call.execution, data: { ...noted } }],
      reliance: 'recorded',
    })
    await waitFor(waitMs, run.signal, engine.clock)
    const timeoutMs = leftMs()
    const { step, consent } = outcome
    if (run.signal.aborted || timeoutMs <= 0 || hasEnded(consent, run)) break
    const again = { ...attempt, step, consent, allowance: { ...allowance, timeoutMs, isRetry: true } }
    outcome = await runInTransaction(again, run)
  }
  const end = orCancelled(withFirstTimeout(outcome.end, failed.end.error), run)
  const { step, grant, hidden, findKeyLines } = outcome
  const durationMs = engine.clock.elapsed() - started
  const shielded = findKeyLines === undefined ? {} : { findKeyLines }
  const rests = grant === undefined ? {} : { grant }
  return {
    step,
    end,
    attempts,
    durationMs,
    ...rests,
    ...shielded,
    ...(hidden === undefined ? {} : { hidden }),
  }
}

/** Whether a call may not run again because the grant that it ran under no longer counts. */
function hasEnded(consent: Consent, { engine: { grants } }: Run): boolean {
  return consent.is === 'given' && consent.grant !== undefined && !grants.stands(consent.grant)
}

function describeAttempt({ end, durationMs }: FailedOutcome, number: number, at: number): Attempt {
  const { error } = end
  return { number, at, code: error.code, class: ERRORS[error.code].class, durationMs: Math.round(durationMs) }
}

/** Reports the timeout of the first attempt; the last attempt had only the time that was left. */
function withFirstTimeout(end: Finish, first: ToolError): Finish {
  const isSame = !end.ok && end.error.code === 'timeout' && first.code === 'timeout'
  return isSame ? { ...end, error: first } : end
}

/** A cancellation between attempts cancels the call. */
function orCancelled(end: Finish, run: Run): Finish {
  return end.ok || !run.signal.aborted ? end : { ...end, error: cancelledError() }
}
