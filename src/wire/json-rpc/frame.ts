import { describeProblem } from '../../core/json/problem.ts'
import { scanJsonText } from '../../core/json/scan.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'

/** A message of the protocol, or the answer to text that is none. */
export type Frame =
  | {
      readonly ok: true
      readonly message: JsonObject
      /** What is wrong with the arguments of a call, which its result has to say. */
      readonly problems: readonly string[]
    }
  | {
      readonly ok: false
      readonly answer: JsonObject
      /** The id of the request that the text means to answer; null if it answers none. */
      readonly answers: string | number | null
    }

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

/** The fields that lead to the arguments of a call. */
const ARGUMENTS_AT = ['params', 'arguments'] as const

/** Which answers a protocol has. */
export interface AnswerShape {
  /** Whether a result may be null, as the Agent Client Protocol has it for requests that ask for nothing. */
  readonly mayBeNull: boolean
}

/**
 * Reads the text of one message. JSON that means two things at once, such as an object with a key twice, is never
 * passed on: in the arguments of a call it is left to the call's result, elsewhere it is no message.
 */
export function readFrame(text: string, answers: AnswerShape = { mayBeNull: false }): Frame {
  const scan = scanJsonText(text, { argsAt: ARGUMENTS_AT.length })
  if (!scan.ok) return refuse(PARSE_ERROR, `This is not JSON: ${scan.message} at column ${scan.column}.`)
  if (Array.isArray(scan.value))
    return refuse(INVALID_REQUEST, 'Several messages in one array are not supported; send each by itself.')
  const message = scan.value
  if (!isJsonObject(message)) return refuse(INVALID_REQUEST, 'A message is a JSON object.')
  const isInArguments = ({ pointer }: { readonly pointer: readonly (string | number)[] }): boolean =>
    ARGUMENTS_AT.every((key, at) => pointer[at] === key)
  const outside = scan.problems.find((problem) => !isInArguments(problem))
  const fault =
    outside === undefined
      ? faultOf(message, answers)
      : `The message is ambiguous: ${describeProblem(outside)}.`
  if (fault !== null) return refuse(INVALID_REQUEST, fault, message)
  const problems = message['method'] === 'tools/call' ? scan.problems : []
  return { ok: true, message, problems: problems.map((problem) => describeProblem(problem)) }
}

/** What is wrong with the envelope of a message; null if nothing is. */
function faultOf(message: JsonObject, { mayBeNull }: AnswerShape): string | null {
  const { jsonrpc, id, method, params, result, error } = message
  if (jsonrpc !== '2.0') return 'The message has no "jsonrpc": "2.0".'
  if (method === undefined) {
    if ((result === undefined) === (error === undefined))
      return 'A message has a "method", a "result" or an "error", and only one of them.'
    if (error === undefined) {
      const isResult = isJsonObject(result) || (mayBeNull && result === null)
      return isId(id) && isResult ? null : 'An answer has the "id" of its request and an object.'
    }
    const isError =
      isJsonObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string'
    return isError && (isId(id ?? 0) || id === null) ? null : 'An error has a "code" and a "message".'
  }
  if (result !== undefined || error !== undefined) return 'A message with a "method" is no answer.'
  if (typeof method !== 'string') return 'The "method" of a message is text.'
  if (id !== undefined && !isId(id)) return 'The "id" of a message is text or a whole number.'
  return params === undefined || isJsonObject(params) ? null : 'The "params" of a message are an object.'
}

/**
 * What text that cannot be used as an answer means for the request that it answers: an error, so that nobody waits for a
 * better one. Null if it answers none.
 */
export function failedAnswer(frame: Extract<Frame, { readonly ok: false }>): JsonObject | null {
  return frame.answers === null ? null : { ...frame.answer, id: frame.answers }
}

/** The answer to text of which nothing can be used. */
export function refuseFrame(why: string): JsonObject {
  return answerWith(INVALID_REQUEST, why, null)
}

/**
 * The answer to a request whose id another one has that is not answered yet. It names the id in words alone if the client
 * would take an answer with it for that of the other.
 */
export function refuseTakenId(taken: JsonValue, isApart: boolean): JsonObject {
  const why = `The id ${JSON.stringify(taken)} belongs to a request that is not answered yet, so this one was not read. Give each request an id of its own.`
  return answerWith(INVALID_REQUEST, why, isApart && isId(taken) ? taken : null)
}

function refuse(code: number, why: string, message: JsonObject = {}): Frame {
  const { id: given, method, result, error } = message
  const id = isId(given) ? given : null
  // An answer is not answered: the other side could take that for an answer to a request of its own.
  const isAnswer = method === undefined && (result !== undefined || error !== undefined)
  return {
    ok: false,
    answer: answerWith(code, why, isAnswer ? null : id),
    answers: method === undefined ? id : null,
  }
}

function isId(id: JsonValue | undefined): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function answerWith(code: number, message: string, id: string | number | null): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
