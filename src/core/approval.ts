import type { JsonObject } from './json/value.ts'
import type { Risk } from './tool.ts'

/** One question: may this call run? */
export interface ApprovalRequest {
  readonly id: string
  readonly session: string
  readonly call: { readonly id: string; readonly name: string; readonly args: JsonObject }
  readonly execution: string
  /** One line, redacted, at most 200 characters. */
  readonly summary: string
  readonly risk: Risk
  /** What would change, as a unified diff; null where that cannot be known. */
  readonly diff: string | null
  /** Epoch milliseconds. */
  readonly asked_at: number
  readonly expires_at: number
}

/** An answer to one question. Words of a denial reach the model. */
export type ApprovalAnswer =
  | 'once'
  | 'deny'
  | { readonly answer: 'once' }
  | { readonly answer: 'deny'; readonly say?: string }

/** Answers all questions of a batch, in their order, or puts them off. */
export interface Approver {
  (
    requests: readonly ApprovalRequest[],
  ): Promise<readonly ApprovalAnswer[] | 'later'> | readonly ApprovalAnswer[] | 'later'
  /** Whether a person is being waited for; the questions are then on record first, so that nothing is lost meanwhile. */
  readonly isAttended?: boolean
}

/** Whether an answer lets the call run, and the words that came with it. */
export function readAnswer(answer: ApprovalAnswer | undefined): {
  readonly isApproved: boolean
  readonly say: string | null
} {
  if (answer === 'once') return { isApproved: true, say: null }
  if (answer === undefined || answer === 'deny') return { isApproved: false, say: null }
  if (answer.answer === 'once') return { isApproved: true, say: null }
  return { isApproved: false, say: answer.say ?? null }
}
