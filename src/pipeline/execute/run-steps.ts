import { ERRORS, toolError } from '../../core/error.ts'
import { declare, start, move } from '../../core/lifecycle.ts'
import type { Trace } from '../../core/lifecycle.ts'
import { useBetween } from '../../core/resource-use.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { ToolResult } from '../../core/result.ts'
import { byteLength } from '../../core/text/truncate.ts'
import { mayRunInParallel } from '../../policy/rules/rule-book.ts'
import type { Agreement } from '../approve/agreement.ts'
import { commit, land } from '../commit/commit.ts'
import type { Batch } from '../parse/declare-batch.ts'
import { recheck } from './recheck.ts'
import { describeFailure } from '../error-report.ts'
import { cancelled, runInTransaction } from './run-call.ts'
import type { Allowance } from './tool-context.ts'
import { holdBack, withHeldRows } from '../approve/held.ts'
import type { Engine, Run } from '../engine.ts'
import { judgeAgain } from '../plan/plan.ts'
import type { Step } from '../step.ts'
import { answer } from '../record/record.ts'
import type { Answer, Ending } from '../record/record.ts'
import { refuse } from '../step.ts'
import { mayRetry, retry } from './retry.ts'
import { shieldSecrets } from '../record/shield-secrets.ts'
import { skipCall } from '../plan/skip.ts'
import { createEmitter, emitResult } from '../emit-events.ts'
import type { EmitMoves } from '../emit-events.ts'

/** Runs the calls of a batch in order; each has its recorded result before the next begins. */
export async function runSteps(
  batch: Batch,
  steps: readonly Step[],
  agreed: ReadonlyMap<string, Agreement>,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { engine } = run
  const progress: Progress = { results: [], spent: 0, isStopped: false, tell: createEmitter(run) }
  for (const group of groupSteps(holdBack(batch, steps, run), run)) {
    const ready = progress.isStopped ? group.map((step) => refuse(step, SKIPPED, 'earlier calls')) : group
    const lookAtUse = ready.length === 1 ? engine.resources : null
    const before = lookAtUse?.() ?? null
    const begun: Promise<Ending>[] = []
    for (const step of ready) {
      // What has been asked of the process meanwhile, such as to stop, is heard in between.
      const turn = engine.pause(run.mayBeCancelled && begun.length + progress.results.length > 0)
      if (turn !== undefined) await turn
      const begin = (): Promise<Ending> => runCall(step, batch.declaredAt, agreed, progress, run)
      begun.push(ready.length === 1 ? begin() : beginBeside(begin))
    }
    const [only] = begun
    const ended = only !== undefined && begun.length === 1 ? [await only] : await Promise.all(begun)
    const usage = before === null || lookAtUse === null ? null : useBetween(before, lookAtUse())
    const endings = run.isForModel ? await shieldSecrets(ended, run) : ended
    const committing = commit(endings, answering(batch, usage, progress.spent, run), run)
    const answers = committing instanceof Promise ? await committing : committing
    for (const made of answers) {
      const landed = land(made, run)
      const result = made.entry.changes.length === 0 ? landed : await settleLanding(landed, made, engine)
      conclude(made, result, progress, run)
    }
    if (ready.some(({ facts }) => facts.tool?.effect !== 'read')) engine.workspace.clearPathCache()
  }
  return withHeldRows(steps, progress.results)
}

/** How far a batch has come. */
interface Progress {
  readonly results: ToolResult[]
  /** How much of the conversation's room they take. */
  spent: number
  /** Whether nothing more of it is to begin, because something has failed. */
  isStopped: boolean
  readonly tell: EmitMoves
}

/** Makes the answers of a group, each with what the ones before it leave of the room. */
function answering(batch: Batch, usage: ResourceUse | null, spent: number, run: Run) {
  return (endings: readonly Ending[]): readonly Answer[] => {
    let shown = spent
    return endings.map((ending) => {
      shown += roomFor(ending.ahead ?? NOTHING, run)
      const made = answer(ending, usage, batch, allow(shown, run).maxOutputBytes, run)
      shown += roomFor([made.result], run)
      return made
    })
  }
}

/** Takes note of a result, and tells whoever wants to know. */
function conclude(made: Answer, result: ToolResult, progress: Progress, run: Run): void {
  const { engine } = run
  progress.tell(made.call, made.entry.moves)
  emitResult(result, made.entry.usage, run)
  report(made, result, run)
  progress.spent += roomFor(made.ahead, run) + roomFor([made.result], run)
  progress.results.push(...made.ahead, result)
  progress.isStopped ||= !result.ok && engine.settings['tools.on_execution_error'] === 'stop'
}

/** Begins a call after whoever begins the next one has had the word, so that those side by side wait for none of them. */
function beginBeside(begin: () => Promise<Ending>): Promise<Ending> {
  const ending = Promise.resolve().then(begin)
  // A fault of our own is thrown where it is waited for.
  ending.catch(() => undefined)
  return ending
}

/** Whoever wants to know is told what is in place now. */
async function settleLanding(result: ToolResult, { entry }: Answer, engine: Engine): Promise<ToolResult> {
  if (!result.ok) return result
  const warnings = await engine.afterLanding(entry.changes)
  return warnings.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...warnings] }
}

const NOTHING: readonly never[] = []

const SKIPPED = toolError(
  'skipped',
  'Skipped: an earlier call of this batch failed, and tools.on_execution_error is stop.',
)

/** Neighbouring calls that only read may run side by side; everything else runs alone. */
function groupSteps(steps: readonly Step[], run: Run): readonly (readonly Step[])[] {
  const { engine } = run
  // What one result leaves of a conversation's room decides what the next may say, so then they take turns.
  const hasRoomToShare = run.capacityBytes === 0
  const isParallel =
    engine.settings['tools.allow_parallel'] &&
    hasRoomToShare &&
    engine.settings['tools.on_execution_error'] !== 'stop'
  if (steps.length === 1) return [steps]
  const groups: Step[][] = []
  let isOpen = false
  for (const step of steps) {
    const { verdict } = step.judgement
    const isFree =
      verdict === 'run' &&
      step.facts.tool?.effect === 'read' &&
      step.call.isRepeated !== true &&
      mayRunInParallel(engine.rules.book, step.call.name)
    const onlyReads = verdict === 'settle' || isFree
    const last = groups.at(-1)
    if (isParallel && onlyReads && isOpen && last !== undefined) last.push(step)
    else groups.push([step])
    isOpen = onlyReads
  }
  return groups
}

/** How much of the conversation's room results take; where there is no such room, nobody counts. */
function roomFor(results: readonly ToolResult[], { capacityBytes }: Run): number {
  if (capacityBytes === 0) return 0
  return results.reduce((sum, { content }) => sum + byteLength(content), 0)
}

/** What is left for the next call: the output limit, and what earlier results left of the conversation's room. */
function allow(spentBytes: number, run: Run): Allowance {
  const { engine } = run
  const most = engine.settings['tools.output.max_bytes']
  const room = run.capacityBytes
  if (room === 0) return { maxOutputBytes: most, capacityBytes: null }
  const capacityBytes = Math.max(0, room - spentBytes)
  return { maxOutputBytes: Math.min(most, capacityBytes), capacityBytes }
}

async function runCall(
  planned: Step,
  declaredAt: number,
  agreed: ReadonlyMap<string, Agreement>,
  { spent, tell }: Pick<Progress, 'spent' | 'tell'>,
  run: Run,
): Promise<Ending> {
  const { engine } = run
  const declared = declare(declaredAt)
  tell(planned.call, declared.moves)
  if (planned.judgement.verdict === 'settle') return unrun(planned, declared, engine)
  if (run.signal.aborted) return unrun(cancel(planned), declared, engine)
  if (run.skip.aborted) return unrun(skipCall(planned, run.skip), declared, engine)
  const { execution } = planned.call
  const passing = recheck(planned, agreed.get(execution) ?? null, run)
  const admission = passing instanceof Promise ? await passing : passing
  const { agreement, ahead = NOTHING } = admission
  const step = takeClaim(admission.step, run)
  if (step.judgement.verdict === 'settle' || step.tool === null)
    return { ...unrun(step, declared, engine), ahead }
  if (run.signal.aborted) return { ...unrun(cancel(step), declared, engine), ahead }
  const { grant } = step.judgement
  if (grant !== undefined && agreement === null && !run.isDryRun) engine.grants.use(grant.id)
  const { call, tool } = step
  const trace = start(declared, engine.clock.now())
  tell(call, trace.moves)
  const allowance = allow(spent, run)
  const end = await runInTransaction(tool, call, allowance, agreement, run)
  if (!mayRetry(tool, end, run)) return { step, trace, durationMs: end.durationMs, end, ahead }
  const { attempts, ...last } = await retry(end, tool, call, allowance, agreement, run)
  return { step, trace, durationMs: last.durationMs, attempts, end: last, ahead }
}

/**
 * Takes what the rules let the call have. Whoever was let in since it was judged may have taken it, so then it is judged
 * again; from here to the claim nothing else runs.
 */
function takeClaim(admitted: Step, run: Run): Step {
  const { engine } = run
  const { basis, judgement } = admitted
  if (judgement.verdict === 'settle' || !basis || run.isDryRun || run.signal.aborted) return admitted
  const isSame = engine.rules.stateFor(run.log, run) === basis
  const step = isSame ? admitted : judgeAgain(admitted, run, false)
  if (step.judgement.verdict === 'settle' || step.tool === null) return step
  const { execution, onRecord } = step.call
  const claimed = { execution, turn: run.turn, tool: step.tool.name, argsDigest: onRecord.digest }
  engine.rules.claim(run.log, claimed)
  return step
}

function cancel(step: Step): Step {
  return refuse(step, cancelled().error, 'cancellation')
}

/** A call that does not run ends where its error says; what is met after its arguments had passed is met as validated. */
function unrun(step: Step, declared: Trace<'DECLARED'>, engine: Engine): Ending {
  const { error, isValidated } = step.judgement
  if (error === null) throw new Error('a call that was not settled did not run')
  const phase = step.phase ?? 'before'
  const trace = isValidated ? move(declared, 'VALIDATED', engine.clock.now()) : declared
  return { step, trace, durationMs: 0, end: { ok: false, error, seen: [], phase } }
}

/** Hands the error of a call to the error handler; what only waits has none. */
function report({ entry, failure }: Answer, result: ToolResult, run: Run): void {
  if (result.ok || ERRORS[result.error.code].exit === 4) return
  const phase = failure?.phase ?? 'landing'
  run.onError(describeFailure(result, entry.version, phase, run.log.key.name, failure?.error ?? null))
}
