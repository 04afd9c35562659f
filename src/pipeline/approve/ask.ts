import type { AskedEntry, AskedQuestion } from '../../journal/entries/entry.ts'
import type { Run } from '../engine.ts'
import { recordedFindings } from '../step.ts'
import type { Step } from '../step.ts'
import type { Offer } from './offer.ts'
import type { Question } from './question.ts'
import { batchOnRecord, sealQuestions } from '../seal-questions.ts'
import { waitForAnswers } from './wait.ts'
import type { Answers } from './wait.ts'

/** What questions belong to. */
export interface AskingPlace {
  readonly batch: string
  /** The calls that wait for the answers, asked about or not; their gate findings are recorded too. */
  readonly steps: readonly Step[]
  /** Whether the batch is already running: then only this process can take the answers, and "later" counts as a denial. */
  readonly whileRunning: boolean
}

/** Records the questions, so that a crash loses none of them, and waits for the answers. */
export async function ask(questions: readonly Question[], place: AskingPlace, run: Run): Promise<Answers> {
  const payloads = new Map<string, Uint8Array>()
  const composed = composeEntry(questions, place, (text: string) => {
    const bytes = new TextEncoder().encode(text)
    const digest = run.engine.digest(bytes)
    payloads.set(digest, bytes)
    return digest
  })
  const { log } = run
  const about = batchOnRecord(place.batch, composed.questions[0]?.execution ?? '', log)
  const entry = { ...composed, seal: sealQuestions(composed, about, log) }
  // They become durable when they are deferred.
  log.append({ entries: [entry], payloads, reliance: 'recorded' })
  return waitForAnswers(entry, questions, run)
}

function composeEntry(
  questions: readonly Question[],
  { batch, steps, whileRunning }: AskingPlace,
  store: (text: string) => string,
): AskedEntry {
  return {
    kind: 'asked',
    batch,
    questions: questions.map((question) => composeQuestion(question, store)),
    judged: steps.map((step) => ({ execution: step.call.execution, gates: recordedFindings(step) })),
    expiresAt: questions[0]?.request.expires_at ?? 0,
    ...(whileRunning ? { whileRunning } : {}),
  }
}

function composeQuestion({ request, agreement }: Question, store: (text: string) => string): AskedQuestion {
  const { id, execution, risk, diff, about, ...rest } = request
  // The call and the times are on record already; whatever else a question shows is recorded with it.
  const { session: _session, call: _call, asked_at: _askedAt, expires_at: _expiresAt, ...shown } = rest
  const offer: Offer = shown
  return {
    approval: id,
    execution,
    risk,
    binding: agreement.binding,
    diff: diff === null ? null : store(diff),
    ...(about === undefined ? {} : { about }),
    offer: store(JSON.stringify(offer)),
  }
}
