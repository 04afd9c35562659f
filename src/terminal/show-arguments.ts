import type { ApprovalRequest } from '../core/approval.ts'

const PLAIN_KEY = /^\w+$/

/**
 * What a question has to show of the words of a model, one row each and whole. A summary may leave out its middle, so all
 * arguments, unless a diff says all that an edit does; of a command that ran it says only what it left. And the task of
 * the delegated conversation that wants the call: among the words of the question it could pass for some of them.
 */
export function argumentsToShow({
  diff,
  kind,
  call,
  delegate,
}: Pick<ApprovalRequest, 'diff' | 'kind' | 'call' | 'delegate'>): readonly string[] {
  const task = delegate === undefined ? [] : [`task of the conversation = ${JSON.stringify(delegate.task)}`]
  const isSaidByDiff = diff !== null && diff !== '' && kind !== 'landing'
  if (isSaidByDiff) return task
  const rows = Object.entries(call.args).map(
    // A name with other signs could pass for a sentence of ours.
    ([key, value]) => `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)} = ${JSON.stringify(value)}`,
  )
  return [...task, ...rows]
}
