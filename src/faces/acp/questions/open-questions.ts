import type { ApprovalRequest, Approver, PermissionAnswer } from '../../../core/approval.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import type { EditorClient } from '../editor-client.ts'
import type { CallFacts } from '../turns/describe-call.ts'
import { readOutcome, toPermissionRequest } from './permission-request.ts'

/** An answer, or that the question stays open. */
export type GivenAnswer = PermissionAnswer | 'later'

/** The questions that are being put to a client. */
export interface OpenQuestions {
  /** Asks about all calls of a batch, one after the other; if one is put off, it waits with those that have no answer. */
  readonly approve: Approver
  /** Answers a question of a batch that is being asked, in place of the option a person would pick. */
  readonly answer: (approval: string, given: GivenAnswer) => AnswerEnd
  /** Puts off what is being asked, as the client has gone. */
  readonly putOff: () => void
}

/** Whether an answer counts: another one may have come first, or the question is not being asked. */
export type AnswerEnd =
  | { readonly is: 'taken' }
  | { readonly is: 'overtaken'; readonly first: GivenAnswer }
  | { readonly is: 'not asked' }

/** A question of a batch. Its first answer counts, from the moment it comes. */
interface AskedHere {
  readonly answered: Promise<GivenAnswer>
  /** False if another answer came first. */
  readonly settle: (given: GivenAnswer) => boolean
  readonly first: () => GivenAnswer | null
}

/** What asking needs. */
export interface QuestionDeps {
  readonly client: EditorClient
  readonly facts: () => CallFacts
  /** Shows the call that is asked about, before the question comes. */
  readonly announce: (request: ApprovalRequest) => Promise<void>
  /** Shows that a call waits, because its question was put off. */
  readonly showWaiting: (request: ApprovalRequest) => Promise<void>
}

/** Opens the questions of a session. */
export function openQuestions({ client, facts, announce, showWaiting }: QuestionDeps): OpenQuestions {
  const asked = new Map<string, AskedHere>()
  let isGone = false

  async function ask(
    request: ApprovalRequest,
    grantSeconds: number,
    signal: AbortSignal,
  ): Promise<GivenAnswer> {
    const here = asked.get(request.id)
    if (isGone || signal.aborted || here === undefined) return 'later'
    const given = here.first()
    if (given !== null) return given
    const asking = { grantSeconds, hasLater: client.can.later, facts: facts() }
    const over = new AbortController()
    const onAbort = (): void => void here.settle('later')
    signal.addEventListener('abort', onAbort, { once: true })
    /** A dialog that is closed because the question was answered says later, which is no answer. */
    const onPicked = (picked: GivenAnswer): void => {
      // Where nobody answered here, the question is over for another reason, which is told there.
      const isOver = signal.aborted && here.first() === 'later'
      if (!here.settle(picked) && picked !== 'later' && !isOver)
        client.notice('warning', sayTooLate(request, here.first())).catch(() => undefined)
    }
    try {
      await announce(request)
      client
        .askPermission(toPermissionRequest(request, asking), over.signal, 'hear it late')
        .then((response) => readOutcome(response, request, asking))
        // A client that cannot ask, is gone, or answers what cannot be read has not agreed.
        .then(onPicked, () => void here.settle('later'))
      return await here.answered
    } finally {
      signal.removeEventListener('abort', onAbort)
      over.abort()
    }
  }

  /** The answers that were given, and later for the rest: what was taken counts. */
  async function putOffRest(requests: readonly ApprovalRequest[]): Promise<readonly GivenAnswer[] | 'later'> {
    const answers = requests.map(({ id }) => asked.get(id)?.first() ?? 'later')
    for (const [index, request] of requests.entries()) {
      if (answers[index] !== 'later') continue
      asked.delete(request.id)
      await showWaiting(request)
    }
    return answers.every((answer) => answer === 'later') ? 'later' : answers
  }

  return {
    async approve(requests, { signal, grantSeconds }) {
      // What was answered before stays known: an answer that comes second may be on its way.
      for (const [id, { first }] of asked) if (first() !== null && asked.size > MOST_KNOWN) asked.delete(id)
      for (const { id } of requests) asked.set(id, askHere())
      for (const request of requests)
        if ((await ask(request, grantSeconds, signal)) === 'later') return putOffRest(requests)
      return requests.map(({ id }) => asked.get(id)?.first() ?? 'later')
    },
    answer(approval, given) {
      const here = asked.get(approval)
      if (here === undefined) return { is: 'not asked' }
      const first = here.first()
      if (first !== null) return { is: 'overtaken', first }
      here.settle(given)
      return { is: 'taken' }
    },
    putOff() {
      isGone = true
      for (const { settle } of asked.values()) settle('later')
    },
  }
}

const MOST_KNOWN = 256

function askHere(): AskedHere {
  const { promise, resolve } = Promise.withResolvers<GivenAnswer>()
  let first: GivenAnswer | null = null
  return {
    answered: promise,
    settle(given) {
      if (first !== null) return false
      first = given
      resolve(given)
      return true
    },
    first: () => first,
  }
}

/** What became of a question, for whoever answers it second, as the end of a sentence. */
export function sayAnswered(first: GivenAnswer | null): string {
  if (first === null || first === 'later') return 'was already put off'
  return `was already ${first.answer === 'deny' ? 'denied' : 'approved'}, and the first answer counts`
}

function sayTooLate({ call, kind }: ApprovalRequest, first: GivenAnswer | null): string {
  const what = kind === 'landing' ? 'what it changed' : 'the call'
  return `Your answer about ${spellOut(oneLine(call.name))} came too late: ${what} ${sayAnswered(first)}.`
}
