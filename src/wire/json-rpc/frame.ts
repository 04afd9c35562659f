import { describeProblem } from '../../core/json/problem.ts'
import { scanJsonText } from '../../core/json/scan.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'

/** A message of the protocol, or the answer to text that is none. */
export type Frame =
  | {
      readonly ok: true
      readonly message: JsonObject
      /** What is wrong with the arguments of a call, which its result has to say. */
      readonly problems: readonly string[]
    }
  | { readonly ok: false; readonly answer: JsonObject }

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

/** The fields that lead to the arguments of a call. */
const ARGUMENTS_AT = ['params', 'arguments'] as const

/**
 * Reads the text of one message. JSON that means two things at once, such as an object with a key twice, is never
 * passed on: in the arguments of a call it is left to the call's result, elsewhere it is no message.
 */
export function readFrame(text: string): Frame {
  const scan = scanJsonText(text, { argsAt: ARGUMENTS_AT.length })
  if (!scan.ok) return refuse(PARSE_ERROR, `This is not JSON: ${scan.message} at column ${scan.column}.`)
  if (Array.isArray(scan.value))
    return refuse(INVALID_REQUEST, 'Several messages in one array are not supported; send each by itself.')
  const message = scan.value
  if (!isJsonObject(message)) return refuse(INVALID_REQUEST, 'A message is a JSON object.')
  const isInArguments = ({ pointer }: { readonly pointer: readonly (string | number)[] }): boolean =>
    ARGUMENTS_AT.every((key, at) => pointer[at] === key)
  const outside = scan.problems.find((problem) => !isInArguments(problem))
  if (outside !== undefined)
    return refuse(INVALID_REQUEST, `The message is ambiguous: ${describeProblem(outside)}.`, message['id'])
  if (message['jsonrpc'] !== '2.0')
    return refuse(INVALID_REQUEST, 'The message has no "jsonrpc": "2.0".', message['id'])
  const problems = message['method'] === 'tools/call' ? scan.problems : []
  return { ok: true, message, problems: problems.map((problem) => describeProblem(problem)) }
}

/** The answer to text of which nothing can be used. */
export function refuseFrame(why: string): JsonObject {
  return answerWith(INVALID_REQUEST, why, null)
}

function refuse(code: number, why: string, id: unknown = null): Frame {
  return { ok: false, answer: answerWith(code, why, id) }
}

function answerWith(code: number, message: string, id: unknown): JsonObject {
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))
  return { jsonrpc: '2.0', id: isId ? id : null, error: { code, message } }
}
