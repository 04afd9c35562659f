import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import type { AnswerReport, HeldCall, ToolAnswer } from '../conversation.ts'
import { readJson } from '../context/message-parts.ts'

/** The held calls in call order, including those already answered while others wait. */
export function listHeld(source: ConversationSource): readonly HeldCall[] {
  const held = source.held()?.calls ?? []
  return held.map(({ call: { id, execution, name, args }, isAnswered, damaged }) => ({
    id,
    execution,
    name,
    args: readArguments(source, args),
    isAnswered,
    ...(damaged === null ? {} : { damaged }),
  }))
}

/** The error for a result that no call is waiting for. */
export const NOTHING_HELD =
  'No call is waiting for a result. /tool ID RESULT supplies the result of a call that was held for you, as with tools.mode = "parse_only".'

/** What to do about a held call that takes no result. */
export const END_DAMAGED = 'End it with "/tool error ID TEXT", and have the call requested again.'

/** Whether a line tries to answer a held call, even if it is malformed. */
export function isToolLine(line: string): boolean {
  return /^\/tool(?:\s|$)/.test(line)
}

/** Supplies a person's answer to a held call, by its id. */
export function answerHeld(source: ConversationSource, id: string, answer: ToolAnswer): AnswerReport {
  const held = source.held()
  if (held === null) return { ok: false, message: NOTHING_HELD }
  const open = held.calls.filter(({ isAnswered }) => !isAnswered)
  const found = open.find(({ call }) => call.id === id || call.execution === id)
  if (found === undefined) {
    const isKnown = held.calls.some((one) => one.call.id === id)
    const why = isKnown ? `${id} already has its result.` : `No call ${id} is waiting for a result.`
    return { ok: false, message: `${why} Waiting: ${open.map(({ call }) => call.id).join(', ')}.` }
  }
  if (found.damaged !== null && !('error' in answer))
    return { ok: false, message: `${id} takes no result, because ${found.damaged}. ${END_DAMAGED}` }
  source.supply(found.call, answer)
  const received = held.calls.filter(({ isAnswered }) => isAnswered).length + 1
  return { ok: true, received, expected: held.calls.length }
}

/** Parses a line such as `/tool ID RESULT` or `/tool error ID TEXT`; null if it is not one. */
export function readToolLine(line: string): { readonly id: string; readonly answer: ToolAnswer } | null {
  const found = /^\/tool\s+(?:(error)\s+(?=\S+\s))?(\S+)(?:\s([\s\S]*))?$/.exec(line)
  if (found === null) return null
  const [, isError, id = '', text = ''] = found
  return { id, answer: isError === undefined ? { result: text } : { error: text } }
}

function readArguments({ log }: ConversationSource, digest: Digest): JsonObject {
  const args = readJson(log.payload(digest))
  return isJsonObject(args) ? args : {}
}
