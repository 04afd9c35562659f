import type { ApprovalRequest } from '../core/approval.ts'
import { shellWord } from '../core/command/shell-word.ts'
import type { JsonValue } from '../core/json/value.ts'

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
  summary,
}: Pick<ApprovalRequest, 'diff' | 'kind' | 'call' | 'delegate' | 'summary'>): readonly string[] {
  const task = delegate === undefined ? [] : [`task of the conversation = ${JSON.stringify(delegate.task)}`]
  const isSaidByDiff = diff !== null && diff !== '' && kind !== 'landing'
  if (isSaidByDiff) return task
  // It has run: what the line above says need not be read again.
  const args = Object.entries(call.args).filter(
    ([, value]) => kind !== 'landing' || !isSaidBy(summary, value),
  )
  const rows = args.map(
    // A name with other signs could pass for a sentence of ours.
    ([key, value]) => `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)} = ${JSON.stringify(value)}`,
  )
  return [...task, ...rows]
}

/** Whether a line has a list of words as a shell would take them. */
function isSaidBy(line: string, value: JsonValue): boolean {
  if (!Array.isArray(value)) return false
  const words = value.flatMap((word) => (typeof word === 'string' ? [shellWord(word)] : []))
  return words.length === value.length && line.includes(words.join(' '))
}
