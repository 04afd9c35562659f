import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import { declare, move, start } from '../../core/lifecycle.ts'
import type { Trace } from '../../core/lifecycle.ts'
import type { Agreement } from '../approve/agreement.ts'
import type { ReadyGroup } from '../approve/approve.ts'
import type { Run } from '../engine.ts'
import { judgeAgain } from '../plan/plan.ts'
import { skipCall } from '../plan/skip.ts'
import { refuse, repeatKey } from '../step.ts'
import type { Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import type { Ending } from './ending.ts'
import { conversingOutcome } from './conversing/conversing-outcome.ts'
import { recheck } from './recheck.ts'
import type { Rechecked } from './recheck.ts'
import { finishLanding } from './finish-landing.ts'
import { mayRetry, retry } from './retry.ts'
import { runInTransaction } from './run-in-transaction.ts'
import { cancelled } from './run-tool.ts'
import type { Allowance } from './tool-context.ts'

/** A call to run, what was approved in its batch, and what the call may use. */
export interface PlannedCall {
  readonly step: Step
  readonly agreed: ReadyGroup['agreed']
  readonly allowance: Allowance
}

const NOTHING: readonly never[] = []

/** Runs one call to its end: rechecked, run, and retried if that is safe. */
export function runCall(
  batch: Batch,
  { step: planned, agreed, allowance }: PlannedCall,
  run: Run,
): Soon<Ending> {
  const waiting = batch.landings.get(planned.call.execution)
  if (waiting !== undefined) {
    const given = planned.judgement.verdict === 'settle' ? undefined : agreed.get(planned.call.execution)
    const answered = { waiting, agreement: given ?? null, maxBytes: allowance.maxOutputBytes }
    return finishLanding(batch, planned, answered, run)
  }
  const declared = declare(batch.declaredAt)
  batch.emit(planned.call, declared.moves)
  if (planned.judgement.verdict === 'settle') return settled(planned, declared, run)
  if (run.signal.aborted) return settled(cancel(planned), declared, run)
  if (run.skip.aborted) return settled(skipCall(planned, run.skip), declared, run)
  if (planned.tool?.converses === true) {
    if (run.delegating === null) return awaitConversation(planned, declared)
    if (batch.begun.has(planned.call.execution)) return goOn(batch, planned, allowance, run)
  }
  const agreement = agreed.get(planned.call.execution) ?? null
  return goOnWith(recheck(planned, agreement, batch.id, run), (rechecked) =>
    runRechecked(batch, rechecked, { agreement, allowance, declared }, run),
  )
}

/** What a call that was rechecked runs with. */
interface Beginning {
  readonly agreement: Agreement | null
  readonly allowance: Allowance
  readonly declared: Trace<'DECLARED'>
}

function runRechecked(
  batch: Batch,
  rechecked: Rechecked,
  { agreement, allowance, declared }: Beginning,
  run: Run,
): Soon<Ending> {
  const { engine } = run
  const { consent, ahead = NOTHING } = rechecked
  const step = takeClaim(rechecked.step, run)
  const { call, tool } = step
  if (step.judgement.verdict === 'settle' || tool === null) return { ...settled(step, declared, run), ahead }
  if (run.signal.aborted) return { ...settled(cancel(step), declared, run), ahead }
  const { grant } = step.judgement
  if (grant !== undefined && agreement === null && !run.isDryRun) engine.grants.use(grant.id)
  const trace = start(declared, engine.clock.now())
  batch.emit(call, trace.moves)
  const attempt = {
    tool,
    call,
    allowance,
    step,
    consent,
    batch: batch.id,
    startedAt: trace.moves.at(-1)?.at ?? 0,
  }
  return goOnWith(runInTransaction(attempt, run), (first) => {
    if (!mayRetry(tool, first, run)) return { ...first, trace, ahead }
    return retry(first, attempt, run).then((last) => ({ ...last, trace, ahead }))
  })
}

/** A call that needs a conversation, in a process that only answers questions: it waits for one. */
function awaitConversation(step: Step, trace: Trace): Ending {
  const { consent: _consent, ...ending } = conversingOutcome({
    step,
    consent: { is: 'given' },
    durationMs: 0,
  })
  return { ...ending, trace }
}

/** Goes on with a call whose conversation has begun: it was judged then, and is not begun again. */
async function goOn(batch: Batch, step: Step, allowance: Allowance, run: Run): Promise<Ending> {
  const { call, tool } = step
  if (tool === null) throw new Error('a call that has begun has no tool')
  const trace = start(declare(batch.declaredAt), run.engine.clock.now())
  batch.emit(call, trace.moves)
  const startedAt = trace.moves.at(-1)?.at ?? 0
  const attempt = {
    tool,
    call,
    allowance,
    step,
    consent: { is: 'given' },
    batch: batch.id,
    startedAt,
  } as const
  const { consent: _consent, ...ending } = await runInTransaction(attempt, run)
  return { ...ending, trace }
}

/**
 * Claims what the rules allow the call. If another call has claimed it since this one was judged, this one is judged
 * again; nothing else runs between that and the claim.
 */
function takeClaim(rechecked: Step, run: Run): Step {
  const { engine } = run
  const { basis, judgement } = rechecked
  if (judgement.verdict === 'settle' || !basis || run.isDryRun || run.signal.aborted) return rechecked
  const isSame = engine.rules.stateFor(run.log, run) === basis
  const step = isSame ? rechecked : judgeAgain(rechecked, run, false)
  if (step.judgement.verdict === 'settle' || step.tool === null) return step
  const { execution, onRecord, meta } = step.call
  const claimed = {
    execution,
    turn: run.turn,
    tool: step.tool.name,
    argsDigest: repeatKey(onRecord.digest, meta),
  }
  engine.rules.claim(run.log, claimed)
  return step
}

function cancel(step: Step): Step {
  return refuse(step, cancelled().error, 'cancellation')
}

/** The ending of a call that does not run; it counts as validated if the error was found after its arguments had passed. */
function settled(step: Step, declared: Trace<'DECLARED'>, { engine }: Run): Ending {
  const { error, isValidated } = step.judgement
  if (error === null) throw new Error('a settled call has no error')
  const phase = step.phase ?? 'before'
  const trace = isValidated ? move(declared, 'VALIDATED', engine.clock.now()) : declared
  const { seen = [], ...keys } = step.shows ?? {}
  return { step, trace, durationMs: 0, end: { ok: false, error, seen, phase }, ...keys }
}
