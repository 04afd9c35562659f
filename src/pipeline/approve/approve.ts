import type { Soon } from '../../core/wait.ts'
import { mayRunInParallel } from '../../policy/rules/rule-book.ts'
import type { Run } from '../engine.ts'
import { skipAfterSettled, skipCommandsAfterRefused } from '../plan/skip.ts'
import { refuse } from '../step.ts'
import type { Batch } from '../batch.ts'
import type { Step } from '../step.ts'
import type { Agreement } from './agreement.ts'
import { applyAnswers, applyLateAnswers } from './answers.ts'
import { ask } from './ask.ts'
import { NO_APPROVER } from './denials.ts'
import { holdBack } from './held.ts'
import { waitingRow } from './notices.ts'
import { makeQuestions } from './question.ts'

/** Calls that are ready to run together, and what was approved for them. */
export interface ReadyGroup {
  readonly steps: readonly Step[]
  /** By execution; calls that needed no approval are not included. */
  readonly agreed: ReadonlyMap<string, Agreement>
}

const NOTHING_AGREED: ReadonlyMap<string, Agreement> = new Map()

/** Groups in order: all at once, or one by one if questions are asked meanwhile. */
export type ReadyGroups = readonly ReadyGroup[] | AsyncGenerator<ReadyGroup, void>

/** Hands out groups one by one, and null after the last. */
export function inTurn(groups: ReadyGroups): () => Soon<ReadyGroup | null> {
  let at = 0
  if (!isAsked(groups)) return () => groups[at++] ?? null
  return () => groups.next().then(({ value }) => value ?? null)
}

function isAsked(groups: ReadyGroups): groups is AsyncGenerator<ReadyGroup, void> {
  return !Array.isArray(groups)
}

/**
 * Asks all questions of a batch before any of its calls runs, and returns its calls in groups, in order. A batch that has
 * to wait for its answers has only what is settled.
 */
export function approve(batch: Batch, planned: readonly Step[], run: Run): ReadyGroups {
  const open = holdBack(batch, planned, run)
  if (batch.answered !== null) {
    const { steps, agreed } = applyLateAnswers(open, batch.answered, run, batch.landings)
    return inGroups(steps, agreed, run)
  }
  if (!open.some(isAsking)) return inGroups(open, NOTHING_AGREED, run)
  if (run.approve !== null) return approveAsked(batch, open, run)
  const steps = open.map((step) => (isAsking(step) ? refuse(step, NO_APPROVER) : step))
  return inGroups(steps, NOTHING_AGREED, run)
}

async function* approveAsked(
  batch: Batch,
  open: readonly Step[],
  run: Run,
): AsyncGenerator<ReadyGroup, void> {
  const made = await makeQuestions(open, run)
  const steps = skipCommandsAfterRefused(skipAfterSettled(made.steps, run), run)
  // What no answer could let run is not asked about.
  const left = new Set(steps)
  const questions = made.questions.filter(({ step }) => left.has(step))
  if (questions.length === 0) return yield* inGroups(steps, NOTHING_AGREED, run)
  // Settled calls get their results first: they must not be judged again, however long the others wait.
  const settled = steps.filter(isSettled)
  if (settled.length > 0) yield { steps: settled, agreed: NOTHING_AGREED }
  const waiting = steps.filter((step) => !isSettled(step))
  const place = { batch: batch.id, steps: waiting, whileRunning: !run.mayWait }
  const { isPutOff, asked, answers } = await ask(questions, place, run)
  if (!isPutOff) {
    const answered = applyAnswers(waiting, { asked, answers }, run.log)
    return yield* inGroups(answered.steps, answered.agreed, run)
  }
  const unanswered = new Map(
    asked.questions.flatMap(({ execution, approval }) =>
      answers.has(approval) ? [] : [[execution, approval] as const],
    ),
  )
  for (const { call } of waiting)
    batch.notices.set(call.execution, waitingRow(call, unanswered.get(call.execution) ?? null))
}

function isAsking({ judgement }: Step): boolean {
  return judgement.verdict === 'ask'
}

function isSettled({ judgement }: Step): boolean {
  return judgement.verdict === 'settle'
}

/** Neighbouring calls that only read may run in parallel; every other call runs alone. */
function inGroups(steps: readonly Step[], agreed: ReadyGroup['agreed'], run: Run): readonly ReadyGroup[] {
  if (steps.length === 1) return [{ steps, agreed }]
  const { settings } = run.engine
  // With a context window, the size of each result limits the next, so calls run one at a time.
  const isParallel =
    settings['tools.allow_parallel'] &&
    run.capacityBytes === 0 &&
    settings['tools.on_execution_error'] !== 'stop'
  const groups: ReadyGroup[] = []
  let together: Step[] | null = null
  for (const step of steps) {
    const mayJoin = isParallel ? onlyReads(step, run) : mayConverseBeside(step, run)
    if (mayJoin && together !== null) {
      together.push(step)
      continue
    }
    const group = [step]
    groups.push({ steps: group, agreed })
    together = mayJoin ? group : null
  }
  return groups
}

function onlyReads(step: Step, run: Run): boolean {
  const { call, tool, facts, judgement } = step
  if (judgement.verdict === 'settle') return true
  if (tool?.converses === true) return mayConverseBeside(step, run)
  return (
    judgement.verdict === 'run' &&
    facts.tool?.effect === 'read' &&
    call.isRepeated !== true &&
    mayRunInParallel(run.engine.rules.book, call.name)
  )
}

/**
 * Whether a conversation may be held beside others: one that only reads. They take long, and each is bounded, so that
 * their results are cut to what is left of the context window only when all of them are there.
 */
function mayConverseBeside({ call, tool, judgement }: Step, { engine, delegating }: Run): boolean {
  return (
    engine.settings['tools.allow_parallel'] &&
    engine.settings['tools.on_execution_error'] !== 'stop' &&
    tool?.converses === true &&
    judgement.verdict !== 'settle' &&
    call.isRepeated !== true &&
    mayRunInParallel(engine.rules.book, call.name) &&
    delegating?.onlyReads(call.args) === true
  )
}
