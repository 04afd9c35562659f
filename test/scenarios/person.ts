import type { ApprovalRequest, PermissionAnswer } from '../../src/core/approval.ts'
import type { Answer, GivenAnswer } from './scenario.ts'

/** The person of a scenario: gives the next answer whenever there is a question. */
export interface Person {
  /** Whether questions are put off. */
  readonly isLater: boolean
  /** The next answer, in the words of the scenario. */
  readonly next: () => Answer
  /** The next answer to a question of which the face knows everything. */
  readonly answer: (request: Pick<ApprovalRequest, 'scopes'>) => PermissionAnswer
}

/** A person, with how many answers were not asked for, and how many questions had none. */
export interface ScriptedPerson extends Person {
  readonly unused: () => number
  readonly unanswered: () => number
}

/** Makes a person; `put` changes files that the answers come after. */
export function createPerson(
  answers: readonly GivenAnswer[] | 'later',
  put: (files: Readonly<Record<string, string | null>>) => void,
): ScriptedPerson {
  let unanswered = 0
  const left = answers === 'later' ? [] : [...answers]
  const next = (): Answer => {
    const given = left.shift()
    if (given === undefined) {
      unanswered += 1
      throw new Error('a question came that the scenario has no answer to')
    }
    if (typeof given !== 'object' || !('answer' in given)) return given
    put(given.after)
    return given.answer
  }
  return {
    isLater: answers === 'later',
    next,
    answer: ({ scopes }) => toPermission(next(), scopes),
    unused: () => left.length,
    unanswered: () => unanswered,
  }
}

function toPermission(answer: Answer, scopes: ApprovalRequest['scopes']): PermissionAnswer {
  if (answer === 'yes') return { answer: 'once' }
  if (answer === 'no') return { answer: 'deny' }
  if ('no' in answer) return { answer: 'deny', say: answer.no }
  if ('hunks' in answer) return { answer: 'once', hunks: answer.hunks }
  if ('seconds' in answer) return { answer: 'duration', seconds: answer.seconds }
  const offered = scopes[answer.offer]
  if (offered === undefined) throw new Error(`no scope ${answer.offer} is offered`)
  return { answer: 'scope', scope: offered.scope }
}
