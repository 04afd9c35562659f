import { cancelledError, ERRORS } from '../../core/error.ts'
import type { ErrorFacts, ToolError } from '../../core/error.ts'
import type { Tool } from '../../core/tool.ts'
import type { Attempt } from '../../journal/entries/entry.ts'
import type { Agreement } from '../approve/agreement.ts'
import { runInTransaction, timeoutOf } from './run-call.ts'
import type { Outcome } from './run-call.ts'
import type { Allowance } from './tool-context.ts'
import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'

type Failed = Extract<Outcome, { ok: false }>

/** Whether a call that failed may run again: it ran out of time or resources, and nothing is lost by that. */
export function mayRetry(tool: Tool, outcome: Outcome, run: Run): outcome is Failed {
  if (outcome.ok) return false
  const { error, phase } = outcome
  const facts: ErrorFacts = ERRORS[error.code]
  // A process that was begun may have done half of its work.
  const isPassing = facts.class === 'ResourceError' || (facts.class === 'TimeoutError' && phase !== 'process')
  const leftNothing = error.details['effects'] === undefined
  return isPassing && leftNothing && tool.idempotent && !run.isDryRun && !run.signal.aborted
}

/** Runs a call that failed again, and again. All attempts and the waiting between them share one span of time. */
export async function retry(
  failed: Failed,
  tool: Tool,
  call: Received,
  allowance: Allowance,
  agreement: Agreement | null,
  run: Run,
): Promise<Outcome & { readonly attempts: readonly Attempt[] }> {
  const { engine } = run
  let outcome: Outcome = failed
  const started = engine.clock.elapsed() - failed.durationMs
  const spanMs = timeoutOf(tool, call, engine) * engine.settings['tools.retry.timeout_factor']
  const leftMs = (): number => spanMs - (engine.clock.elapsed() - started)
  const attempts: Attempt[] = []
  const first = failed.error
  for (let count = 1; count <= engine.settings['tools.retry.max']; count++) {
    if (!mayRetry(tool, outcome, run)) break
    const waitMs = engine.settings['tools.retry.backoff_seconds'] * 1000 * 2 ** (count - 1)
    if (waitMs >= leftMs()) break
    const attempt = describeAttempt(outcome, count, engine.clock.now())
    attempts.push(attempt)
    // On record before the next one begins, so that a crash does not hide how often it was tried.
    run.log.append({
      entries: [{ kind: 'note', about: 'attempt', execution: call.execution, data: { ...attempt } }],
      reliance: 'recorded',
    })
    await pause(waitMs, engine, run.signal)
    const timeoutMs = leftMs()
    if (run.signal.aborted || timeoutMs <= 0) break
    outcome = await runInTransaction(tool, call, { ...allowance, timeoutMs, isRetry: true }, agreement, run)
  }
  return { ...stopped(inFull(outcome, first), run), attempts, durationMs: engine.clock.elapsed() - started }
}

function describeAttempt(outcome: Failed, number: number, at: number): Attempt {
  const { error, durationMs } = outcome
  return { number, at, code: error.code, class: ERRORS[error.code].class, durationMs: Math.round(durationMs) }
}

/** The time a call had is the time of its first attempt; the last one had only what was left. */
function inFull(outcome: Outcome, first: ToolError): Outcome {
  const isSame = !outcome.ok && outcome.error.code === 'timeout' && first.code === 'timeout'
  return isSame ? { ...outcome, error: first } : outcome
}

/** Whoever cancels while nothing runs has cancelled the call. */
function stopped(outcome: Outcome, run: Run): Outcome {
  if (outcome.ok || !run.signal.aborted) return outcome
  return { ...outcome, error: cancelledError() }
}

/** Waits by the runtime's clock, or until the signal says to stop. */
async function pause(ms: number, engine: Engine, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const cancelled = new Promise<void>((resolve) => {
    onAbort = () => resolve()
    signal.addEventListener('abort', onAbort, { once: true })
  })
  const slept =
    engine.clock.sleep?.(ms) ??
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
  try {
    await Promise.race([slept, cancelled])
  } finally {
    clearTimeout(timer)
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}
