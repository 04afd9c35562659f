import { BROKEN_OFF } from './model-client.ts'
import type { ModelMessage, ModelRequest } from './model-client.ts'

/** A call as a script has it. */
export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly argsText: string
}

/** One assistant message of a script. */
export interface ScriptedMessage {
  readonly text: string
  readonly calls: readonly ScriptedCall[]
}

type Spoken = Extract<ModelMessage, { role: 'assistant' }>
type Likeness = (spoken: Spoken, entry: ScriptedMessage) => boolean

/**
 * Finds the next entry of a script. A conversation that was closed and reopened continues where it was. One that
 * used another script before starts this one from its beginning, as does the next prompt after its end.
 * `otherwise` is for a conversation that contains nothing of the script.
 */
export function findPlace(
  script: readonly ScriptedMessage[],
  { messages, leftOut = 0 }: Pick<ModelRequest, 'messages' | 'leftOut'>,
  otherwise: number,
): number {
  const spoken = messages.filter((message): message is Spoken => message.role === 'assistant')
  const all = spoken.length + leftOut
  const isAsked = messages.at(-1)?.role === 'user'
  const place = endsLike(spoken, script, all, mayHaveBegun)
    ? all
    : longestEnd(spoken, script, isAsked ? 0 : otherwise)
  return isAsked && place >= script.length ? 0 : place
}

function longestEnd(
  spoken: readonly Spoken[],
  script: readonly ScriptedMessage[],
  otherwise: number,
): number {
  for (let count = Math.min(spoken.length, script.length); count > 0; count -= 1)
    if (endsLike(spoken, script, count, isSame)) return count
  return otherwise
}

/** Whether the last messages match the first `count` entries. */
function endsLike(
  spoken: readonly Spoken[],
  script: readonly ScriptedMessage[],
  count: number,
  isLike: Likeness,
): boolean {
  const last = spoken.slice(Math.max(0, spoken.length - count))
  return last.every((message, at) =>
    isLike(message, script[count - last.length + at] ?? { text: '', calls: [] }),
  )
}

/** An interrupted message matches the beginning of its entry. */
function mayHaveBegun(spoken: Spoken, { text, calls }: ScriptedMessage): boolean {
  const ids = idsOf(spoken)
  return text.startsWith(textOf(spoken)) && ids.every((id, at) => id === calls[at]?.id)
}

function isSame(spoken: Spoken, entry: ScriptedMessage): boolean {
  return (
    mayHaveBegun(spoken, entry) &&
    textOf(spoken) === entry.text &&
    idsOf(spoken).length === entry.calls.length
  )
}

function textOf({ parts }: Spoken): string {
  return parts.map((part) => (part.type === 'text' && part.text !== BROKEN_OFF ? part.text : '')).join('')
}

function idsOf({ parts }: Spoken): readonly string[] {
  return parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))
}
