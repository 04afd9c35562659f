import { withoutFullStop } from '../../core/text/trim-end.ts'
import { cancelledError, toolError, ToolFailure } from '../../core/error.ts'
import type { Phase, ToolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { HiddenPart } from '../../core/result.ts'
import type { Effect } from '../../core/tool.ts'
import type { Prepared } from '../../workspace/staging/prepare.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import { packAttributes } from '../waiting-landing.ts'
import { askLanding } from '../approve/ask-landing.ts'
import { NOTHING_TAKEN } from '../approve/denials.ts'
import { LateRefusal } from '../approve/late-refusal.ts'
import type { Run } from '../engine.ts'
import type { CallLayer } from './call-layer.ts'
import { findAlteredLayer, findLandingObstacle, takeOf, withDiscarded, withOutput } from './finish-landing.ts'
import { judgeEnded } from './judge-staged.ts'
import type { Outcome, ReadyAttempt } from './ready-attempt.ts'
import type { Consent } from './recheck.ts'
import { countDeletions, showLanding, takeLayer, withChanges } from './take-layer.ts'
import type { TakenLayer } from './take-layer.ts'

/** A grant for a command never covers more deletions than this. */
const MOST_DELETIONS_GRANTED = 50

/** A person saw what lands, so that no grant is needed any more. */
const AGREED: Consent = { is: 'given' }

/** The processes of a call have ended well. */
interface EndedProcesses {
  readonly layer: CallLayer
  readonly output: JsonObject
  readonly durationMs: number
  readonly hidden: readonly HiddenPart[]
}

/** The result with what was changed, and what its commit rests on; `isKept` says that the layer holds what the commit or an answer needs. */
interface ReadyLanding extends Pick<ReadyAttempt, 'step' | 'consent'> {
  readonly output: JsonObject
  readonly isKept: boolean
  /** The approval that the changes wait for, or null. */
  readonly parked: string | null
}

/** Reads what the processes of a call changed, asks about it if that is due, and stages it for the commit. */
export async function readyLanding(
  started: ReadyAttempt,
  { layer, output: printed, durationMs, hidden }: EndedProcesses,
  transaction: Transaction,
  run: Run,
): Promise<ReadyLanding> {
  const { tool, batch, startedAt, allowance } = started
  const taken = await takeLayer(layer, run).catch((thrown: unknown) => {
    if (!(thrown instanceof ToolFailure) || run.signal.aborted) throw thrown
    const isKept = isRefusedBySystem(thrown.error) && !run.isDryRun
    throw new ToolFailure(
      isKept ? withKept(thrown.error, started, printed) : withDiscarded(thrown.error, tool, printed),
    )
  })
  const fit = { isDry: run.isDryRun, maxBytes: allowance.maxOutputBytes }
  const output = withChanges(tool, printed, taken, fit)
  if (taken === null || taken.read.changes.length === 0 || run.isDryRun)
    return { step: started.step, consent: { is: 'given' }, output, isKept: false, parked: null }
  // It may have run for long.
  const attempt = judgeEnded(started, run)
  const { step, consent } = attempt
  const { changes, hunks, stale, folders } = taken.read
  const { startedMs, parts } = taken.layer
  const { attributes: payloads } = taken.read
  const staged = { changes, stale, folders, startedMs, parts, payloads, notes: taken.notes }
  // What conflicts already is not asked about: the commit refuses it, and keeps the layer.
  if (stale.length > 0 || !mustAsk(attempt, taken)) {
    transaction.stageLayer(staged)
    return { step, consent, output, isKept: true, parked: null }
  }
  const attributes = packAttributes(payloads)
  const marks = await run.engine.workspace.markHeld(changes, taken.read.bare)
  const rest = {
    layer: taken.layer,
    output,
    notes: taken.notes,
    hidden,
    startedAt,
    hunks,
    attributes,
    folders,
    marks,
  }
  layer.noteAsked()
  try {
    const answer = await askLanding(
      step,
      showLanding(taken, run.engine),
      { batch, changes, durationMs, rest },
      run,
    )
    if (answer.is === 'waiting') return { step, consent, output, isKept: true, parked: answer.approval }
    const fault = await findAlteredLayer(changes, marks, run)
    if (fault !== null) throw new ToolFailure(fault)
    const part = takeOf(staged, { ...rest, chosen: answer.hunks ?? null, maxBytes: fit.maxBytes }, run)
    if (part === null) throw new ToolFailure(NOTHING_TAKEN)
    transaction.stageLayer(part.staged)
    return { step: answer.step, consent: AGREED, output: part.output, isKept: true, parked: null }
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    const refusal = withDiscarded(run.signal.aborted ? cancelledError() : thrown.error, tool, output)
    throw thrown instanceof LateRefusal ? thrown.reword(refusal) : new ToolFailure(refusal)
  }
}

/** Whether the system is to blame that a layer could not be read, and not what is on it. */
function isRefusedBySystem({ code, details }: ToolError): boolean {
  return details['errno'] !== undefined && code !== 'not_allowed'
}

/** A failure to read a layer, which is kept. */
function withKept(error: ToolError, { tool, call }: ReadyAttempt, output: JsonObject): ToolError {
  const said = withOutput(error, 'what it changed is kept on its layer', tool, output)
  return { ...said, details: { ...said.details, layer: call.execution } }
}

function mustAsk({ consent, step }: ReadyAttempt, taken: TakenLayer): boolean {
  return (
    consent.is === 'due' ||
    (step.judgement.grant !== undefined && countDeletions(taken) > MOST_DELETIONS_GRANTED)
  )
}

/** The outcome of a call whose changes wait; it is not recorded, as the call has no result yet. */
export function parkedOutcome(
  approval: string,
  outcome: Pick<Outcome, 'step' | 'consent' | 'durationMs' | 'layer'>,
): Outcome {
  const error = toolError('approval_required', 'Waiting for approval.', { approval })
  return { ...outcome, end: { ok: false, error, seen: [], phase: 'layer' }, parked: approval }
}

/** A call that failed, and the layer of its processes. */
interface StoppedCall {
  readonly layer: CallLayer
  readonly effect: Effect
  readonly attempt: ReadyAttempt
}

/** How a failed call ended. */
interface StoppedEnd {
  readonly error: ToolError
  readonly phase: Phase
  readonly prepared?: Prepared | null
  readonly consent?: Consent
  /** Whether the layer has something on it although nothing of it lands. */
  readonly keepsLayer?: true
}

/**
 * Ends a call that failed. What its processes changed on a layer is dropped with it, unless they were stopped and the
 * settings say to keep that.
 */
export async function endStopped(
  error: ToolError,
  { layer, effect, attempt }: StoppedCall,
  transaction: Transaction,
  run: Run,
): Promise<StoppedEnd> {
  const current = layer.current()
  if (current !== null && error.details['layer'] === current.execution)
    return { error, phase: 'layer', keepsLayer: true }
  if (current === null) {
    if (effect === 'external') return { error: withUnknownEffects(error), phase: 'running' }
    // What the calls of a conversation did stays, so its own call was not rolled back.
    if (attempt.tool.converses) return { error, phase: 'process' }
    if (effect !== 'spawn') return { error, phase: 'running' }
    return { error, phase: layer.isDropped() ? 'layer' : 'process' }
  }
  const isStopped = error.code === 'timeout' || error.code === 'cancelled'
  const keeps = isStopped && run.engine.settings['tools.shell.on_stop'] === 'keep'
  const prepared = keeps ? await keepChanges(layer, attempt, transaction, run) : null
  if (prepared !== null) return { error, phase: 'process', ...prepared }
  const effects = error.details['effects'] === 'none' ? 'none' : 'discarded'
  return { error: { ...error, details: { ...error.details, effects } }, phase: 'layer' }
}

/** What was asked of a service outside cannot be taken back by stopping to wait for it. */
function withUnknownEffects(error: ToolError): ToolError {
  if (error.code !== 'timeout' && error.code !== 'cancelled' && error.code !== 'crashed') return error
  return {
    ...error,
    message: `${withoutFullStop(error.message)}. It may have acted all the same.`,
    details: { ...error.details, effects: 'unknown' },
  }
}

/** Asks whether what a stopped call had changed may land; the call has ended with an error, so the answer cannot wait. */
async function mayKeep(attempt: ReadyAttempt, taken: TakenLayer, run: Run): Promise<boolean> {
  const { step, batch, startedAt } = attempt
  const { layer, notes, read } = taken
  const marks = await run.engine.workspace.markHeld(read.changes, read.bare)
  const rest = { layer, output: {}, notes, hidden: [], startedAt }
  const answer = await askLanding(
    step,
    showLanding(taken, run.engine),
    { batch, changes: read.changes, durationMs: 0, rest },
    { ...run, mayWait: false },
  )
  if (answer.is !== 'agreed' || answer.hunks !== undefined) return false
  const fault = await findAlteredLayer(read.changes, marks, run)
  return fault === null && (await findLandingObstacle(read.changes, run.engine.workspace)) === null
}

/** What a stopped call had changed, and what its commit rests on. */
type KeptChanges = Required<Pick<StoppedEnd, 'prepared' | 'consent'>>

/** Stages what a stopped call had changed; null if there is nothing, or it cannot land. */
async function keepChanges(
  layer: CallLayer,
  attempt: ReadyAttempt,
  transaction: Transaction,
  run: Run,
): Promise<KeptChanges | null> {
  try {
    // The call itself was stopped, but reading its layer must not be.
    const taken = await takeLayer(layer, { ...run, signal: new AbortController().signal })
    if (taken === null || taken.read.changes.length === 0) return null
    const { layer: held, read, notes } = taken
    const { changes, stale, folders } = read
    const judged = judgeEnded(attempt, run)
    const isAsked = stale.length === 0 && mustAsk(judged, taken)
    if (isAsked) {
      layer.noteAsked()
      if (!(await mayKeep(judged, taken, run))) return null
    }
    const { startedMs, parts } = held
    transaction.stageLayer({ changes, stale, folders, startedMs, parts, payloads: read.attributes, notes })
    const prepared = transaction.prepare()
    return prepared === null ? null : { prepared, consent: isAsked ? AGREED : judged.consent }
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}
