import type { Actor } from './call.ts'
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
  /** What else there is to know, such as why the question comes a second time. */
  readonly note?: string
}

/** An answer to one question. Words of a denial reach the model. */
export type ApprovalAnswer =
  | 'once'
  | 'deny'
  | { readonly answer: 'once' }
  | { readonly answer: 'deny'; readonly say?: string }

/** All answers to the questions of a batch, in their order, or the wish to be asked later. */
export type ApprovalAnswers = readonly ApprovalAnswer[] | 'later'

/** Why an answer is not waited for any more. */
export type AskingEnd = 'silence' | 'elsewhere' | 'cancelled'

/** What whoever answers is told beside the questions. */
export interface Asking {
  /** Aborted, with an `AskingEnd` as its reason, when an answer is not waited for any more. */
  readonly signal: AbortSignal
  /** How long there is time; silence is a no. */
  readonly seconds: number
}

/** Answers all questions of a batch, in their order, or puts them off. */
export interface Approver {
  (requests: readonly ApprovalRequest[], asking: Asking): Promise<ApprovalAnswers> | ApprovalAnswers
  /** Whether a person is being waited for; the questions are then on record first, so that nothing is lost meanwhile. */
  readonly isAttended?: boolean
}

/** Why a question was answered with no: a person said so, nobody spoke in time, or whoever should answer could not. */
export type Refusal = 'denied' | 'silence' | 'broken'

/** An answer as it is written down. */
export interface Decision {
  readonly isApproved: boolean
  /** Words for the model, on a denial. */
  readonly say: string | null
  /** Who answered, where that is known. */
  readonly actor: Actor | null
  /** A person's own word where it is absent. */
  readonly refusal?: Refusal
}

/** Whether an answer lets the call run, and the words that came with it. What makes no sense approves nothing. */
export function readAnswer(answer: unknown): { readonly isApproved: boolean; readonly say: string | null } {
  if (answer === 'once') return { isApproved: true, say: null }
  if (typeof answer !== 'object' || answer === null) return { isApproved: false, say: null }
  const { answer: word, say } = answer as { readonly answer?: unknown; readonly say?: unknown }
  if (word === 'once') return { isApproved: true, say: null }
  return { isApproved: false, say: word === 'deny' && typeof say === 'string' ? say : null }
}
