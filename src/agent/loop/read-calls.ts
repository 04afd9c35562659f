import type { ToolCall } from '../../core/call.ts'
import { describeProblem, scanJsonText } from '../../core/json/scan.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { AssistantPart } from '../../model/model-client.ts'
import { parseFencedCalls } from '../../wire/fenced.ts'
import { textOf } from '../context/message-parts.ts'

/** How calls are read off a message. */
export type Protocol = 'native' | 'fenced'

/** The calls of one assistant message, in order. If it has native calls, fenced blocks are just text. */
export function readCalls(parts: readonly AssistantPart[], protocol: Protocol): readonly ToolCall[] {
  const native = parts.flatMap((part) => (part.type === 'call' ? [readNative(part)] : []))
  if (native.length > 0 || protocol === 'native') return native
  return parseFencedCalls(textOf(parts)).map((call) => ({ ...call, isFenced: true }))
}

function readNative({ id, name, argsText }: Extract<AssistantPart, { type: 'call' }>): ToolCall {
  const scan = scanJsonText(argsText === '' ? '{}' : argsText)
  if (!scan.ok)
    return {
      id,
      name,
      args: {},
      problems: [
        `the arguments are not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      ],
    }
  if (!isJsonObject(scan.value)) return { id, name, args: {}, problems: ['the arguments are not an object'] }
  return { id, name, args: scan.value, problems: scan.problems.map(describeProblem) }
}
