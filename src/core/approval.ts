import type { Actor } from './call.ts'
import { readScope } from './grant.ts'
import type { GrantScope } from './grant.ts'
import { ownElements, ownFields } from './json/value.ts'
import type { JsonObject } from './json/value.ts'
import type { Risk } from './tool.ts'

/** A file that would land, as a question about a landing names it. */
export interface LandingChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  /** Where it was before, if it was moved there: that name is deleted. */
  readonly from?: string
}

/** The hunks of a diff that a yes may choose from, counted from 1. */
export interface DiffHunks {
  /** The lines of the diff at which they begin, counted from 0. */
  readonly lines: readonly number[]
  /** Those that can only be taken together, such as both sides of a move. */
  readonly together?: readonly (readonly number[])[]
}

/** One question: may this call run, or what it changed land? */
export interface ApprovalRequest {
  readonly id: string
  /** Whether it is about a call before it runs, or about what its process has changed before that lands. */
  readonly kind: 'call' | 'landing'
  /** What would land; only for a landing. */
  readonly changes?: readonly LandingChange[]
  /** How many files would land, if not all are listed. */
  readonly changes_total?: number
  /** The size of the files that would land, in bytes. */
  readonly size?: number
  readonly session: string
  readonly call: { readonly id: string; readonly name: string; readonly args: JsonObject }
  /**
   * What is shown although it looks like a secret, because it is or may be the name of something: files of a patch, words
   * of a command, of a text or of the diff, files that are there. Only what would be hidden otherwise.
   */
  readonly names?: readonly string[]
  /** The folder in which the call would start, if it names one and its arguments do not say it. */
  readonly cwd?: string
  readonly execution: string
  /** Set if a delegated conversation wants the call: the call that it belongs to, and all of its task. */
  readonly delegate?: { readonly execution: string; readonly task: string; readonly role?: string }
  /** What is asked about: whether the call may run, or whether a model may be given the result of one that has. */
  readonly about?: 'run' | 'result'
  /** One line, redacted, at most 200 characters. */
  readonly summary: string
  readonly risk: Risk
  /** What the words of a command may destroy, or why they cannot be judged, as the end of a sentence. */
  readonly danger: string | null
  /** What would change, as a unified diff; null if that cannot be known. */
  readonly diff: string | null
  /** The hunks of the diff; absent if it can only be approved as a whole. */
  readonly hunks?: DiffHunks
  /** Epoch milliseconds. */
  readonly asked_at: number
  readonly expires_at: number
  /** Why it is asked: what each gate that wants an answer says, as one line. */
  readonly why: string
  /** What would confine the command, in words; null if the call starts none. */
  readonly rung: string | null
  /** What keeps its changes apart until they land; absent if the call starts no command. */
  readonly layer?: 'overlay' | 'copy' | 'none'
  /** Which limits hold for the command and which do not, in words; absent if there are none. */
  readonly limits?: string
  /** What may be allowed beyond this once, from narrow to wide. */
  readonly scopes: readonly OfferedScope[]
  /** What may be allowed for a time and no longer: calls of a tool that is gone with the program which brought it. */
  readonly passing?: OfferedScope
  /** What else there is to know, such as why the question comes a second time. */
  readonly note?: string
  /** Why it can be denied and not be approved: what is stored of it is not what was asked. */
  readonly damaged?: string
}

/** A scope that covers the call asked about, and what allowing it would mean. */
export interface OfferedScope {
  readonly scope: GrantScope
  readonly sentence: string
  /** What confines the command, in words, if that is less than a sandbox and a layer; a grant is bound to it. */
  readonly confined?: string
}

/** What a person may answer: this once, for a time, for a scope until revoked, or no, with words for the model. */
export type PermissionAnswer =
  /** Only these hunks of the diff if given, counted from 1 in the order shown; the rest is not committed. */
  | { readonly answer: 'once'; readonly hunks?: readonly number[] }
  /** For the whole tool if no scope is given. */
  | { readonly answer: 'duration'; readonly seconds: number; readonly scope?: GrantScope }
  | { readonly answer: 'scope'; readonly scope: GrantScope }
  | { readonly answer: 'deny'; readonly say?: string }

/** An answer to one question; a bare word is short for the answer of that name. */
export type ApprovalAnswer = 'once' | 'deny' | PermissionAnswer

/** All answers to the questions of a batch, in order, or a request to be asked later. */
export type ApprovalAnswers = readonly ApprovalAnswer[] | 'later'

/** The same, where some questions may be put off by themselves. */
export type PartialAnswers = ApprovalAnswers | readonly (ApprovalAnswer | 'later')[]

/** Why an answer is no longer awaited. */
export type AskingEnd = 'silence' | 'elsewhere' | 'cancelled'

/** What the approver is told in addition to the questions. */
export interface Asking {
  /** Aborted, with an `AskingEnd` as its reason, when an answer is no longer awaited. */
  readonly signal: AbortSignal
  /** How long the approver has; no answer counts as a denial. */
  readonly seconds: number
  /** The duration to offer to a person who wants to allow more than this once. */
  readonly grantSeconds: number
}

/** Answers all questions of a batch, in their order, or puts off some or all of them. */
export type Approver = (
  requests: readonly ApprovalRequest[],
  asking: Asking,
) => Promise<PartialAnswers> | PartialAnswers

/** Approves everything once, without asking. */
export const agreeOnce: Approver = (requests) => requests.map(() => 'once')

/** Why a question was answered with no: a person denied it, no answer came in time, the approver failed, or the answer was unclear. */
export type Refusal = 'denied' | 'silence' | 'broken' | 'unclear'

/** A request to turn an answer into a grant. */
export interface GrantRequest {
  readonly scope: GrantScope
  /** Null is until it is revoked. */
  readonly seconds: number | null
}

/** An answer as it was understood. */
export interface Decision {
  readonly isApproved: boolean
  /** What to tell the model on a denial; for an unclear answer, what was wrong with it. */
  readonly say: string | null
  /** Who answered, where that is known. */
  readonly actor: Actor | null
  /** Absent if a person decided. */
  readonly refusal?: Refusal
  readonly wish?: GrantRequest
  /** The hunks of the diff that are approved, counted from 1; all of it if absent. */
  readonly hunks?: readonly number[]
  /** The seal of what was asked, as whoever answers read it; a yes to questions that are read from the log needs it. */
  readonly asked?: string
  /** The id of the grant that was made. */
  readonly grant?: string
}

/** Reads an answer; one that makes no sense approves nothing. */
export function readAnswer(answer: unknown): Omit<Decision, 'actor' | 'grant'> {
  if (answer === 'once') return ONCE
  if (answer === 'deny') return { isApproved: false, say: null }
  if (typeof answer !== 'object' || answer === null) return unclear('it is not one of the known answers')
  const { answer: word, say, seconds, scope, hunks } = ownFields(answer)
  switch (word) {
    case 'once':
      if (hunks === undefined) return ONCE
      return areHunks(hunks) ? { ...ONCE, hunks } : unclear('its hunks are not numbers from 1 on')
    case 'deny':
      return { isApproved: false, say: typeof say === 'string' ? say : null }
    case 'duration': {
      const read = scope === undefined ? ({ kind: 'tool' } as const) : readScope(scope)
      if (read === null) return unclear('its scope is not valid')
      if (typeof seconds !== 'number') return unclear('its duration is not a number of seconds')
      return { isApproved: true, say: null, wish: { scope: read, seconds } }
    }
    case 'scope': {
      const read = readScope(scope)
      if (read === null) return unclear('its scope is not valid')
      return { isApproved: true, say: null, wish: { scope: read, seconds: null } }
    }
    default:
      return unclear('it is not one of the known answers')
  }
}

const ONCE = { isApproved: true, say: null } as const

/** Whether something is a choice of hunks. */
export function areHunks(value: unknown): value is readonly number[] {
  const hunks = ownElements(value)
  return (
    hunks.length > 0 && hunks.every((one) => typeof one === 'number' && Number.isSafeInteger(one) && one > 0)
  )
}

/** Why a choice of hunks cannot be taken, as the end of a sentence; null if it can. */
export function findHunkFault(
  chosen: readonly number[],
  { hunks, diff }: Pick<ApprovalRequest, 'hunks' | 'diff'>,
  isStrict: boolean,
): string | null {
  if (isStrict) return 'the profile strict takes a change whole or not at all'
  if (!areHunks(chosen)) return 'hunks are numbers from 1 on'
  if (hunks === undefined)
    return diff === null || diff === ''
      ? 'it shows no diff to choose hunks from'
      : 'its diff can only be taken as a whole'
  const count = hunks.lines.length
  const unknown = chosen.find((hunk) => hunk > count)
  if (unknown !== undefined)
    return `there is no hunk ${unknown}; its diff has ${count === 1 ? 'one hunk' : `${count} hunks`}`
  const isChosen = new Set(chosen)
  const torn = hunks.together?.find(
    (group) => group.some((hunk) => isChosen.has(hunk)) && !group.every((hunk) => isChosen.has(hunk)),
  )
  return torn === undefined ? null : `its hunks ${torn.join(', ')} can only be taken together`
}

function unclear(why: string): Omit<Decision, 'actor' | 'grant'> {
  return { isApproved: false, say: why, refusal: 'unclear' }
}
