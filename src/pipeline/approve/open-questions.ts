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

/** The questions of a waiting batch that have no answer yet, as they were asked. */
export function openQuestions(
  waiting: WaitingBatch,
  log: LogReader,
  engine: Engine,
): readonly ApprovalRequest[] {
  const { asked, answers, batch } = waiting
  const about = new Set(asked.questions.map(({ execution }) => execution))
  const askedAbout = { ...batch, calls: batch.calls.filter(({ execution }) => about.has(execution)) }
  const calls = new Map(readAgain(askedAbout, log, engine).map((call) => [call.execution, call]))
  return asked.questions
    .filter(({ approval }) => !answers.has(approval))
    .map((question) => readQuestion(question, calls.get(question.execution), waiting, log))
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

function readQuestion(
  question: AskedQuestion,
  call: Received | undefined,
  { asked, askedAt }: WaitingBatch,
  log: LogReader,
): ApprovalRequest {
  const { approval, execution, risk, summary, note } = question
  const diff = question.diff === null ? null : log.payload(question.diff)
  return {
    id: approval,
    session: log.key.name,
    call: {
      id: call?.id ?? '',
      name: call?.name ?? '',
      args: call?.args ?? {},
    },
    execution,
    risk,
    diff: diff === null ? null : utf8.decode(diff),
    asked_at: askedAt,
    expires_at: asked.expiresAt,
    ...readOffer(question.offer === undefined ? null : log.payload(question.offer)),
    ...(summary === undefined ? {} : { summary }),
    ...(note === undefined ? {} : { note }),
  }
}
