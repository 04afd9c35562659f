import type { ApprovalRequest } from '../../core/approval.ts'
import type { AskedQuestion } from '../../journal/entries/entry.ts'
import type { LogReader } from '../../journal/log.ts'
import type { Engine } from '../engine.ts'
import { readAgain } from '../parse/read-batch.ts'
import { callAskedAbout } from '../parse/waiting-batch.ts'
import type { WaitingBatch } from '../parse/waiting-batch.ts'
import type { Received } from '../step.ts'
import type { AskedCall } from './make-grant.ts'
import { offeredIn, readOffer } from './offer.ts'
import { findForgery, findLoss } from '../seal-questions.ts'

/**
 * The questions of a waiting batch that have no answer yet, as they were asked. One that is not stored as it was asked
 * says so, and not what is stored; `doubt` is why none of the batch can be relied on.
 */
export function openQuestions(
  waiting: WaitingBatch,
  log: LogReader,
  engine: Engine,
  doubt: string | null = null,
): readonly ApprovalRequest[] {
  const { asked, answers, batch } = waiting
  const about = new Set(asked.questions.map(({ execution }) => execution))
  const askedAbout = { ...batch, calls: batch.calls.filter(({ execution }) => about.has(execution)) }
  const calls = new Map(readAgain(askedAbout, log, engine).map((call) => [call.execution, call]))
  const forgery = doubt ?? findForgery(waiting, log)
  return asked.questions
    .filter(({ approval }) => !answers.has(approval))
    .map((question) => {
      const damaged = forgery ?? findLoss(question, waiting, log)
      const place = placeOf(question, calls.get(question.execution), waiting, log)
      return damaged === null ? readQuestion(question, place, log) : showDamaged(place, damaged)
    })
}

/** Why a question of a waiting batch cannot be approved, as the end of a sentence; null if it can. */
export function findDamage(waiting: WaitingBatch, approval: string, log: LogReader): string | null {
  const question = waiting.asked.questions.find((one) => one.approval === approval)
  return findForgery(waiting, log) ?? (question === undefined ? null : findLoss(question, waiting, log))
}

/** What to do about a question that cannot be approved. */
export const ASK_ANEW = 'Deny it, and have the call requested again to be asked anew'

/** Nothing is shown of it that another program may have written, but for the call that the log names. */
function showDamaged(place: QuestionPlace, damaged: string): ApprovalRequest {
  return {
    ...place,
    kind: 'call',
    summary: 'a damaged question, which cannot be approved',
    risk: 'High',
    danger: null,
    diff: null,
    why: '',
    rung: null,
    scopes: [],
    note: `It cannot be approved, because ${damaged}. ${ASK_ANEW}.`,
    damaged,
  }
}

/** The call that a question of a waiting batch is about, with what the question offered. */
export function readAskedCall(
  waiting: WaitingBatch,
  approval: string,
  log: LogReader,
  engine: Engine,
): AskedCall | null {
  const call = callAskedAbout(waiting, approval, log, engine)
  if (call === null) return null
  const offer = waiting.asked.questions.find((question) => question.approval === approval)?.offer
  const read = readOffer(offer === undefined ? null : log.payload(offer))
  return { call, offered: offeredIn(read), isLanding: read.kind === 'landing' }
}

const utf8 = new TextDecoder()

/** What names a question, its call and its times. */
type QuestionPlace = Pick<
  ApprovalRequest,
  'id' | 'session' | 'call' | 'execution' | 'asked_at' | 'expires_at'
>

function placeOf(
  { approval, execution }: AskedQuestion,
  call: Received | undefined,
  { asked, askedAt }: WaitingBatch,
  { key }: LogReader,
): QuestionPlace {
  return {
    id: approval,
    session: key.name,
    call: {
      id: call?.id ?? '',
      name: call?.name ?? '',
      args: call?.args ?? {},
    },
    execution,
    asked_at: askedAt,
    expires_at: asked.expiresAt,
  }
}

function readQuestion(question: AskedQuestion, place: QuestionPlace, log: LogReader): ApprovalRequest {
  const { risk, summary, note } = question
  const diff = question.diff === null ? null : log.payload(question.diff)
  return {
    ...place,
    risk,
    diff: diff === null ? null : utf8.decode(diff),
    ...readOffer(question.offer === undefined ? null : log.payload(question.offer)),
    ...(summary === undefined ? {} : { summary }),
    ...(note === undefined ? {} : { note }),
  }
}
