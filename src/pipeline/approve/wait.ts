import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import { readAnswer } from '../../core/approval.ts'
import type { Approver, Asking, AskingEnd, Decision, Refusal } from '../../core/approval.ts'
import { waitFor } from '../../core/wait.ts'
import type { AnsweredEntry, AskedEntry, Entry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Run } from '../engine.ts'
import type { AnsweredQuestions } from '../batch.ts'
import { makeGrant } from './make-grant.ts'
import type { Question } from './question.ts'

/** The abort reason when the process shuts down: questions stay open instead of being denied. */
export const DRAINING = 'draining'

/** The outcome of waiting: the recorded answers, and whether the open questions will be answered later. */
export interface Answers extends AnsweredQuestions {
  readonly isPutOff: boolean
}

/** How waiting ended: the approver answered everything or deferred it, other processes answered everything, or the caller cancelled. */
type Ended =
  | { readonly is: 'decided'; readonly decisions: readonly Decision[] }
  | { readonly is: 'later' }
  | { readonly is: 'elsewhere' }
  | { readonly is: 'cancelled' }

/**
 * Waits until every question has an answer, from the approver of this run or from another process, but no longer than
 * the timeout. Each answer is recorded before anything follows from it.
 */
export async function waitForAnswers(
  asked: AskedEntry,
  questions: readonly Question[],
  run: Run,
): Promise<Answers> {
  const answers = new AnswerRecord(asked, questions, run)
  const done = new AbortController()
  const ended = await raceForAnswers(questions, answers, done.signal, run).finally(() => done.abort())
  if (ended.is === 'decided') answers.add(ended.decisions)
  const mayWait = asked.whileRunning !== true
  const isPutOff =
    mayWait && (ended.is === 'later' || (ended.is === 'cancelled' && run.signal.reason === DRAINING))
  if (isPutOff) answers.putOff()
  else answers.finish(mayWait)
  return { asked, answers: answers.given, isPutOff }
}

/** The answers to the questions of one entry, each recorded once; only the first answer to a question counts. */
class AnswerRecord {
  readonly given = new Map<string, Decision>()
  readonly #asked: AskedEntry
  readonly #questions: readonly Question[]
  readonly #run: Run
  #unwritten: Entry[] = []

  constructor(asked: AskedEntry, questions: readonly Question[], run: Run) {
    this.#asked = asked
    this.#questions = questions
    this.#run = run
  }

  get open(): readonly Question[] {
    return this.#questions.filter(({ request }) => !this.given.has(request.id))
  }

  /** The approver's decisions, in the order of the questions. */
  add(decisions: readonly Decision[]): void {
    for (const [index, question] of this.#questions.entries()) {
      const decision = decisions[index]
      if (decision !== undefined) this.#give(question, decision)
    }
  }

  /** Records one answer from another process durably: the sender relies on it once it is gone from the inbox. */
  take(question: Question, decision: Decision): void {
    this.#give(question, decision)
    this.#write('durable')
  }

  putOff(): void {
    const data = { batch: this.#asked.batch }
    this.#unwritten.push({ kind: 'note', about: 'put_off', execution: null, data })
    this.#write('durable')
  }

  /** Ends the waiting: writes the remaining answers, and that the batch continues if it does. */
  finish(continues: boolean): void {
    if (continues) this.#unwritten.push({ kind: 'continued', batch: this.#asked.batch, pass: this.#run.pass })
    if (this.#unwritten.length > 0) this.#write('recorded')
  }

  #give({ request, step }: Question, decision: Decision): void {
    if (this.given.has(request.id)) return
    // Whether a result may go to a model is decided every time, so it makes no grant.
    const made = request.about === 'result' ? decision : makeGrant(decision, step.call, this.#run)
    this.given.set(request.id, made)
    this.#unwritten.push(answeredEntry(this.#asked.batch, request.id, made))
  }

  #write(reliance: 'recorded' | 'durable'): void {
    this.#run.log.append({ entries: this.#unwritten, reliance })
    this.#unwritten = []
  }
}

function answeredEntry(batch: string, approval: string, decision: Decision): AnsweredEntry {
  const { isApproved, say, actor, refusal, grant } = decision
  return {
    kind: 'answered',
    batch,
    approval,
    isApproved,
    say,
    actor,
    ...(refusal === undefined ? {} : { refusal }),
    ...(grant === undefined ? {} : { grant }),
  }
}

/** Records the answer to a question of a waiting batch; only the first answer to a question counts. */
export function writeAnswer(batch: string, approval: string, decision: Decision, log: SessionLog): void {
  log.append({ entries: [answeredEntry(batch, approval, decision)], reliance: 'durable' })
}

/** A timeout, an unreadable answer and a failing approver all count as a denial. */
async function raceForAnswers(
  questions: readonly Question[],
  answers: AnswerRecord,
  isDone: AbortSignal,
  run: Run,
): Promise<Ended> {
  const { approve, signal, engine } = run
  if (approve === null) return refuseAll(questions, 'broken')
  if (signal.aborted) return { is: 'cancelled' }
  const seconds = engine.settings['tools.permission_timeout_seconds']
  const grantSeconds = engine.settings['tools.approval.grant_seconds']
  const asking = new AbortController()
  const end = (reason: AskingEnd, ended: Ended): Ended => {
    asking.abort(reason)
    return ended
  }
  const timeUp = waitFor(seconds * 1000, AbortSignal.any([signal, isDone])).then((isUp) =>
    isUp ? end('silence', refuseAll(questions, 'silence')) : end('cancelled', { is: 'cancelled' }),
  )
  try {
    const decided = callApprover(questions, approve, { signal: asking.signal, seconds, grantSeconds }, run)
    return await Promise.race([decided, takeFromInbox(answers, isDone, run), timeUp])
  } finally {
    asking.abort('elsewhere' satisfies AskingEnd)
  }
}

async function callApprover(
  questions: readonly Question[],
  approve: Approver,
  asking: Asking,
  { actor }: Run,
): Promise<Ended> {
  try {
    const requests = questions.map(({ request }) => request)
    const answers: unknown = await approve(requests, asking)
    if (answers === 'later') return { is: 'later' }
    const list: readonly unknown[] = Array.isArray(answers) ? answers : []
    return { is: 'decided', decisions: requests.map((_, index) => ({ ...readAnswer(list[index]), actor })) }
  } catch {
    return refuseAll(questions, 'broken')
  }
}

function refuseAll(questions: readonly Question[], refusal: Refusal): Ended {
  return {
    is: 'decided',
    decisions: questions.map(() => ({ isApproved: false, say: null, actor: null, refusal })),
  }
}

/** Takes answers that other processes left, until there is one for every question. */
async function takeFromInbox(
  answers: AnswerRecord,
  isDone: AbortSignal,
  { inbox }: Run,
): Promise<{ readonly is: 'elsewhere' }> {
  for (;;) {
    if (!(await waitFor(INBOX_POLL_MS.attended, isDone))) return new Promise<never>(() => undefined)
    for (const question of answers.open) {
      const decision = inbox.take(question.request.id)
      if (decision === null) continue
      answers.take(question, decision)
      inbox.drop(question.request.id)
    }
    if (answers.open.length === 0) return { is: 'elsewhere' }
  }
}
