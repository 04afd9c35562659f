import type { ApprovalRequest } from '../core/approval.ts'

const PLAIN_KEY = /^\w+$/

/**
 * The arguments of a call that a question has to show, one row each and whole: a summary may leave out its middle. A
 * diff says all that an edit does; of a command that ran it says only what it left.
 */
export function argumentsToShow({
  diff,
  kind,
  call,
}: Pick<ApprovalRequest, 'diff' | 'kind' | 'call'>): readonly string[] {
  const isSaidByDiff = diff !== null && diff !== '' && kind !== 'landing'
  if (isSaidByDiff) return []
  return Object.entries(call.args).map(
    // A name with other signs could pass for a sentence of ours.
    ([key, value]) => `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)} = ${JSON.stringify(value)}`,
  )
}
