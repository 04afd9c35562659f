import type { ApprovalAnswer, ApprovalRequest, Approver, PermissionAnswer } from '../../../core/approval.ts'
import type { EditorClient } from '../editor-client.ts'
import type { CallFacts } from '../turns/describe-call.ts'
import { readOutcome, toPermissionRequest } from './permission-request.ts'

/** An answer, or that the question stays open. */
export type GivenAnswer = PermissionAnswer | 'later'

/** The questions that are being put to a client. */
export interface OpenQuestions {
  /** Asks about all calls of a batch, one after the other; if one is put off, all of them wait. */
  readonly approve: Approver
  /** Answers a question that is being asked, in place of the option a person would pick; false if it is not. */
  readonly answer: (approval: string, given: GivenAnswer) => boolean
  readonly isAsking: (approval: string) => boolean
  /** Puts off what is being asked, as the client has gone. */
  readonly putOff: () => void
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
  const asked = new Map<string, (given: GivenAnswer) => void>()
  let isGone = false

  async function ask(
    request: ApprovalRequest,
    grantSeconds: number,
    signal: AbortSignal,
  ): Promise<GivenAnswer> {
    if (isGone || signal.aborted) return 'later'
    const asking = { grantSeconds, hasLater: client.can.later, facts: facts() }
    const { promise, resolve } = Promise.withResolvers<GivenAnswer>()
    const over = new AbortController()
    const onAbort = (): void => resolve('later')
    signal.addEventListener('abort', onAbort, { once: true })
    asked.set(request.id, resolve)
    try {
      await announce(request)
      client
        .askPermission(toPermissionRequest(request, asking), over.signal)
        .then((response) => readOutcome(response, request, asking))
        // A client that cannot ask, is gone, or answers what cannot be read has not agreed.
        .then(resolve, () => resolve('later'))
      return await promise
    } finally {
      asked.delete(request.id)
      signal.removeEventListener('abort', onAbort)
      over.abort()
    }
  }

  return {
    async approve(requests, { signal, grantSeconds }) {
      const answers: ApprovalAnswer[] = []
      for (const request of requests) {
        const given = await ask(request, grantSeconds, signal)
        if (given === 'later') {
          for (const waiting of requests) await showWaiting(waiting)
          return 'later'
        }
        answers.push(given)
      }
      return answers
    },
    answer(approval, given) {
      const resolve = asked.get(approval)
      resolve?.(given)
      return resolve !== undefined
    },
    isAsking: (approval) => asked.has(approval),
    putOff() {
      isGone = true
      for (const resolve of asked.values()) resolve('later')
    },
  }
}
