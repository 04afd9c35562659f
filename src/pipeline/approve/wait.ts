import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import { findHunkFault, readAnswer } from '../../core/approval.ts'
import type { ApprovalRequest, Approver, Asking, AskingEnd, Decision, Refusal } from '../../core/approval.ts'
import { ownElements } from '../../core/json/value.ts'
import { waitFor } from '../../core/wait.ts'
import type { AnsweredEntry, AskedEntry, Entry } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import type { AnsweredQuestions } from '../batch.ts'
import { makeGrant } from './make-grant.ts'
import { makeValueGrant } from './make-value-grant.ts'
import { offeredIn } from './offer.ts'
import type { Question } from './question.ts'

/** The abort reason when the process shuts down: questions stay open instead of being denied. */
export const DRAINING = 'draining'

/** The outcome of waiting: the recorded answers, and whether the open questions will be answered later. */
export interface Answers extends AnsweredQuestions {
  readonly isPutOff: boolean
}

/** How waiting ended: the approver answered everything or deferred it, others answered everything, or the caller cancelled. */
type Ended =
  /** A question without a decision was put off. */
  | { readonly is: 'decided'; readonly decisions: readonly (Decision | null)[] }
  | { readonly is: 'later' }
  | { readonly is: 'elsewhere' }
  | { readonly is: 'cancelled' }

/**
 * Waits until every question has an answer, from the approver of this run or from elsewhere, but no longer than
 * the timeout. Each answer is recorded before anything follows from it.
 */
export async function waitForAnswers(
  asked: AskedEntry,
  questions: readonly Question[],
  run: Run,
): Promise<Answers> {
  const answers = new AnswerRecord(asked, questions, run)
  const mayWait = asked.whileRunning !== true
  const done = new AbortController()
  // On record the batch already waits. An answer given in this process must not start it beside the run that asks.
  const stopListening = run.inbox.listen(asked.batch, (approval, decision) =>
    answers.take(approval, decision),
  )
  try {
    const ended = await raceForAnswers(questions, answers, done.signal, run)
    if (ended.is === 'decided') answers.add(ended.decisions)
    const isPutOff =
      mayWait &&
      answers.open.length > 0 &&
      (ended.is === 'later' ||
        ended.is === 'decided' ||
        (ended.is === 'cancelled' && run.signal.reason === DRAINING))
    if (isPutOff) answers.putOff()
    else answers.finish(mayWait)
    return { asked, answers: answers.given, isPutOff }
  } finally {
    done.abort()
    stopListening()
  }
}

/** The answers to the questions of one entry, each recorded once; only the first answer to a question counts. */
class AnswerRecord {
  readonly given = new Map<string, Decision>()
  /** Resolved once answers from elsewhere leave no question open. */
  readonly elsewhere: Promise<Ended>
  readonly #asked: AskedEntry
  readonly #questions: readonly Question[]
  readonly #run: Run
  readonly #end: (ended: Ended) => void
  #unwritten: Entry[] = []

  constructor(asked: AskedEntry, questions: readonly Question[], run: Run) {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    this.elsewhere = promise
    this.#end = resolve
    this.#asked = asked
    this.#questions = questions
    this.#run = run
  }

  get open(): readonly Question[] {
    return this.#questions.filter(({ request }) => !this.given.has(request.id))
  }

  /** The approver's decisions, in the order of the questions. */
  add(decisions: readonly (Decision | null)[]): void {
    for (const [index, question] of this.#questions.entries()) {
      const decision = decisions[index]
      if (decision !== undefined && decision !== null) this.#give(question, decision)
    }
  }

  /**
   * Records one answer from elsewhere durably, because its giver relies on it; false if another one came first. It was
   * given to what the log shows, so a yes counts only if that is what is asked here.
   */
  take(approval: string, decision: Decision): boolean {
    const question = this.open.find(({ request }) => request.id === approval)
    if (question === undefined || !isAnswerTo(decision, this.#asked)) return false
    this.#give(question, decision)
    this.#write('durable')
    if (this.open.length === 0) this.#end({ is: 'elsewhere' })
    return true
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

  #give({ request, step }: Question, given: Decision): void {
    if (this.given.has(request.id)) return
    const decision = requireHunks(given, request, this.#run)
    const made =
      request.about === 'result'
        ? makeValueGrant(decision, request, this.#run)
        : makeGrant(
            decision,
            {
              approval: request.id,
              call: step.call,
              offered: offeredIn(request),
              isLanding: request.kind === 'landing',
            },
            this.#run,
          )
    this.given.set(request.id, made)
    this.#unwritten.push(answeredEntry(this.#asked, request.id, made, this.#run))
  }

  #write(reliance: 'recorded' | 'durable'): void {
    this.#run.log.append({ entries: this.#unwritten, reliance })
    this.#unwritten = []
  }
}

/** Whether a no, or a yes that names what was asked as it is sealed. */
export function isAnswerTo({ isApproved, asked: read }: Decision, { seal }: AskedEntry): boolean {
  return !isApproved || (seal !== undefined && read === seal)
}

/** A yes to hunks that cannot be taken approves nothing. */
function requireHunks(decision: Decision, request: ApprovalRequest, { engine }: Run): Decision {
  const { hunks, actor, isApproved } = decision
  if (hunks === undefined || !isApproved) return decision
  const say = findHunkFault(hunks, request, engine.settings.profile === 'strict')
  return say === null ? decision : { isApproved: false, say, actor, refusal: 'unclear' }
}

function answeredEntry(asked: AskedEntry, approval: string, decision: Decision, run: Run): AnsweredEntry {
  const { isApproved, say, actor, refusal, grant, hunks } = decision
  return {
    kind: 'answered',
    batch: asked.batch,
    approval,
    isApproved,
    say,
    actor,
    ...(refusal === undefined ? {} : { refusal }),
    ...(grant === undefined ? {} : { grant }),
    ...(hunks === undefined ? {} : { hunks }),
    ...(isApproved ? { seal: sealOfYes(asked, approval, decision, run) } : {}),
  }
}

/**
 * What shows that Tongs itself recorded a yes to a question of this session, and to which: what the question was about
 * and how long it stood cannot be changed under the answer.
 */
export function sealOfYes(
  { batch, questions, expiresAt }: AskedEntry,
  approval: string,
  { hunks }: { readonly hunks?: readonly number[] },
  { engine, log }: Pick<Run, 'engine' | 'log'>,
): string {
  const { root, name } = log.key
  const binding = questions.find((question) => question.approval === approval)?.binding ?? null
  const about = [root, name, batch, approval, binding, expiresAt]
  // A yes to everything is sealed as it was before hunks could be chosen, so that older ones still count.
  return engine.grants.sealAnswer(JSON.stringify(hunks === undefined ? about : [...about, hunks]))
}

/** Records the answer to a question of a waiting batch; only the first answer to a question counts. */
export function writeAnswer(asked: AskedEntry, approval: string, decision: Decision, run: Run): void {
  run.log.append({ entries: [answeredEntry(asked, approval, decision, run)], reliance: 'durable' })
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
    return await Promise.race([decided, answers.elsewhere, takeFromInbox(answers, isDone, run), timeUp])
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
    // The approver's own copies: whatever it does to them, what it was asked about is what runs.
    const requests = questions.map(({ request }) => structuredClone(request))
    const answers: unknown = await approve(requests, asking)
    if (answers === 'later') return { is: 'later' }
    const list = ownElements(answers)
    // With another number of answers it is not certain which one is whose.
    if (list.length !== requests.length) return refuseAll(questions, 'unclear', countedWrong(list, requests))
    const decisions = requests.map((_, index) =>
      list[index] === 'later' ? null : { ...readAnswer(list[index]), actor },
    )
    return { is: 'decided', decisions }
  } catch {
    return refuseAll(questions, 'broken')
  }
}

function refuseAll(questions: readonly Question[], refusal: Refusal, say: string | null = null): Ended {
  return {
    is: 'decided',
    decisions: questions.map(() => ({ isApproved: false, say, actor: null, refusal })),
  }
}

function countedWrong(answers: readonly unknown[], requests: readonly unknown[]): string {
  const asked = requests.length === 1 ? 'one question' : `${requests.length} questions`
  return `${asked}, and ${answers.length === 1 ? 'one answer' : `${answers.length} answers`}`
}

/** Takes answers that other processes leave, until waiting is over; only a fault of the inbox ends it. */
async function takeFromInbox(answers: AnswerRecord, isDone: AbortSignal, { inbox }: Run): Promise<never> {
  while (await waitFor(INBOX_POLL_MS.attended, isDone)) {
    for (const { request } of answers.open) {
      const decision = inbox.take(request.id)
      if (decision === null) continue
      try {
        answers.take(request.id, decision)
      } catch (error) {
        inbox.putBack(request.id)
        throw error
      }
      inbox.drop(request.id)
    }
  }
  return new Promise<never>(() => undefined)
}
