import type { ApprovalRequest, Decision } from '../../core/approval.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { AskedEntry, AskedQuestion, BatchEntry, StoredEntry } from '../../journal/entries/entry.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'
import { applyDecision } from './ask.ts'
import type { Agreement } from './agreement.ts'
import type { Run } from '../engine.ts'
import { readOffer } from './offer.ts'
import { readyShell } from '../plan/ready-shell.ts'
import { runSteps } from '../execute/run-steps.ts'
import { plan } from '../plan/plan.ts'
import { readAgain } from '../parse/read-batch.ts'
import type { Received } from '../step.ts'
import { refuse } from '../step.ts'
import { EXPIRED } from './denials.ts'
import { waitingRow } from './wait.ts'

/** A batch that waits for answers. */
export interface WaitingBatch {
  readonly batch: BatchEntry
  readonly declaredAt: number
  readonly asked: AskedEntry
  readonly askedAt: number
  readonly answers: ReadonlyMap<string, Decision>
  readonly results: ReadonlyMap<string, ToolResult>
}

const utf8 = new TextDecoder()

/** The waiting batches of a session, oldest first, read off its log. */
export function findWaiting(log: LogReader): readonly WaitingBatch[] {
  const ids = new Set(log.openBatches().map(({ batch }) => batch))
  if (ids.size === 0) return []
  const found = new Map<string, StoredEntry[]>()
  for (const stored of log.entries()) {
    const { entry } = stored
    if ('batch' in entry && ids.has(entry.batch))
      found.set(entry.batch, [...(found.get(entry.batch) ?? []), stored])
  }
  return [...found.values()].flatMap((entries) => readWaiting(entries, log))
}

function readWaiting(entries: readonly StoredEntry[], log: LogReader): readonly WaitingBatch[] {
  const [first] = entries
  if (first === undefined || first.entry.kind !== 'batch') return []
  let asked: { readonly entry: AskedEntry; readonly at: number } | null = null
  const answers = new Map<string, Decision>()
  const results = new Map<string, ToolResult>()
  for (const { entry, at } of entries) {
    if (entry.kind === 'continued') return []
    if (entry.kind === 'asked') asked = { entry, at }
    if (entry.kind === 'answered' && !answers.has(entry.approval)) answers.set(entry.approval, entry)
    if (entry.kind === 'settled') results.set(entry.execution, readResult(log, entry.result))
  }
  if (asked === null) return []
  return [
    { batch: first.entry, declaredAt: first.at, asked: asked.entry, askedAt: asked.at, answers, results },
  ]
}

/** The questions of a waiting batch that nobody has answered yet. */
export function openQuestions(waiting: WaitingBatch, log: LogReader): readonly ApprovalRequest[] {
  const { asked, askedAt, answers } = waiting
  return asked.questions
    .filter(({ approval }) => !answers.has(approval))
    .map((question) => present(question, waiting, log, askedAt, asked.expiresAt))
}

function present(
  question: AskedQuestion,
  { batch }: WaitingBatch,
  log: LogReader,
  askedAt: number,
  expiresAt: number,
): ApprovalRequest {
  const { approval, execution, summary, risk } = question
  const call = batch.calls.find((candidate) => candidate.execution === execution)
  const diff = question.diff === null ? null : log.payload(question.diff)
  return {
    id: approval,
    session: log.key.name,
    call: {
      id: call?.id ?? '',
      name: call?.name ?? '',
      args: call === undefined ? {} : readJson(log, call.args),
    },
    execution,
    summary,
    risk,
    diff: diff === null ? null : utf8.decode(diff),
    asked_at: askedAt,
    expires_at: expiresAt,
    ...(question.note === undefined ? {} : { note: question.note }),
    ...readOffer(question.offer === undefined ? null : log.payload(question.offer)),
  }
}

/** Writes an answer down; only the first one to a question counts. */
export function writeAnswer(batch: string, approval: string, decision: Decision, log: SessionLog): void {
  const { isApproved, say, actor, refusal, grant } = decision
  const words = {
    isApproved,
    say,
    actor,
    ...(refusal === undefined ? {} : { refusal }),
    ...(grant === undefined ? {} : { grant }),
  }
  log.append({ entries: [{ kind: 'answered', batch, approval, ...words }], reliance: 'durable' })
}

/** Runs a batch whose last answer is in. The claim is durable first, so it runs once, whatever happens to this process. */
export async function continueBatch(waiting: WaitingBatch, waker: Run): Promise<readonly ToolResult[]> {
  const { engine } = waker
  const { batch, asked, answers, results } = waiting
  const origin = batch.origin === 'runtime' ? batch.origin : waker.origin
  const isForModel = batch.origin === 'model' || waker.isForModel
  const run: Run = { ...waker, turn: batch.turn, isFreshTurn: false, origin, isForModel }
  run.log.append({
    entries: [{ kind: 'continued', batch: batch.batch, pass: run.pass }],
    reliance: 'durable',
  })
  await readyShell(batch.calls, engine)
  const isExpired = engine.clock.now() > asked.expiresAt
  const agreed = new Map<string, Agreement>()
  const questions = new Map(asked.questions.map((question) => [question.execution, question]))
  const steps = plan(readAgain(batch, run.log), run, results).map((step) => {
    const question = questions.get(step.call.execution)
    if (question === undefined || step.judgement.verdict === 'settle') return step
    const answer = answers.get(question.approval)
    if (isExpired && answer?.isApproved !== false) return refuse(step, EXPIRED)
    if (answer?.isApproved === true)
      agreed.set(question.execution, { binding: question.binding, isShown: question.diff !== null })
    return applyDecision(step, answer)
  })
  const done = await runSteps(
    { id: batch.batch, turn: batch.turn, declaredAt: waiting.declaredAt, calls: [] },
    steps,
    agreed,
    run,
  )
  return putInOrder(batch, results, done)
}

/** The rows of a batch in call order; what the runtime ran before a call stays before it. */
function putInOrder(
  { calls }: BatchEntry,
  settled: ReadonlyMap<string, ToolResult>,
  done: readonly ToolResult[],
): readonly ToolResult[] {
  const rows = new Map([...settled].map(([execution, result]) => [execution, [result]]))
  const own = new Set(calls.map(({ execution }) => execution))
  let ahead: ToolResult[] = []
  for (const result of done) {
    ahead.push(result)
    if (!own.has(result.execution.id)) continue
    rows.set(result.execution.id, ahead)
    ahead = []
  }
  return calls.flatMap(({ execution }) => rows.get(execution) ?? [])
}

/** The rows of a batch that still waits. */
export function waitingRows({ batch, asked, answers, results }: WaitingBatch): readonly ToolResult[] {
  const open = new Map(
    asked.questions
      .filter(({ approval }) => !answers.has(approval))
      .map(({ execution, approval }) => [execution, approval]),
  )
  return batch.calls.map(
    (call) => results.get(call.execution) ?? waitingRow(call, open.get(call.execution) ?? null),
  )
}

/** The results a batch has so far, in call order; what the runtime ran before a call stands before it. */
export function recordedRows(batch: string, log: LogReader): readonly ToolResult[] {
  const results = new Map<string, ToolResult>()
  const order: string[] = []
  const batches = new Set([batch])
  for (const { entry } of log.entries()) {
    if (entry.kind === 'batch') {
      const at = entry.batch === batch ? 0 : entry.ahead === undefined ? -1 : order.indexOf(entry.ahead)
      if (at < 0) continue
      batches.add(entry.batch)
      order.splice(at, 0, ...entry.calls.map(({ execution }) => execution))
    } else if (entry.kind === 'settled' && batches.has(entry.batch))
      results.set(entry.execution, readResult(log, entry.result))
  }
  return order.flatMap((execution) => results.get(execution) ?? [])
}

/** The call that a question is about, as it was received. */
export function callAskedAbout(
  { batch, asked }: WaitingBatch,
  approval: string,
  log: LogReader,
): Received | null {
  const execution = asked.questions.find((question) => question.approval === approval)?.execution
  const at = batch.calls.findIndex((one) => one.execution === execution)
  return readAgain(batch, log)[at] ?? null
}

/** A result is written down as it was given, so it is read as one. */
function readResult(log: LogReader, digest: string): ToolResult {
  return readJson(log, digest) as unknown as ToolResult
}

function readJson(log: Pick<LogReader, 'payload'>, digest: string): JsonObject {
  const bytes = log.payload(digest)
  return bytes === null ? {} : (JSON.parse(utf8.decode(bytes)) as JsonObject)
}
