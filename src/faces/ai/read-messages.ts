import type { ModelMessage } from 'ai'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { digest } from '../../host/system/hash.ts'

/** The call that a person was asked about, as far as the messages have it. */
interface AskedCall {
  readonly toolCallId: string
  readonly name?: string
  readonly input?: unknown
}

/** What a person answered in the application, as the messages say it. */
export interface GivenAnswer extends AskedCall {
  readonly approvalId: string
  readonly isApproved: boolean
  readonly reason: string | null
  /** Whether its call has a result: then it answers no later call of the same id. */
  readonly isUsed: boolean
}

/** The place of a call in a conversation. */
export interface Place {
  /** The same for everything that follows one message of the user. */
  readonly turn: string
  /** How often the model has requested tools in this turn, from 1. */
  readonly iteration: number
}

const TURN_CHARS = 24

/**
 * The answers of people to approval requests in these messages, in order. Providers may use the id of a call again, so an
 * answer is about the call that had the id when it was asked about.
 */
export function readAnswers(messages: readonly ModelMessage[]): readonly GivenAnswer[] {
  const calls = new Map<string, AskedCall>()
  const asked = new Map<string, AskedCall>()
  let answers: readonly GivenAnswer[] = []
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue
    for (const part of content) {
      if (part.type === 'tool-call')
        calls.set(part.toolCallId, { toolCallId: part.toolCallId, name: part.toolName, input: part.input })
      // What the application approves by itself, without a person, is no answer to a question.
      if (role === 'assistant' && part.type === 'tool-approval-request' && part.isAutomatic !== true)
        asked.set(part.approvalId, calls.get(part.toolCallId) ?? { toolCallId: part.toolCallId })
      if (part.type === 'tool-result')
        answers = answers.map((one) => (one.toolCallId === part.toolCallId ? { ...one, isUsed: true } : one))
      if (role !== 'tool' || part.type !== 'tool-approval-response') continue
      const about = asked.get(part.approvalId)
      const { approvalId, reason = null } = part
      const isApproved = Object.hasOwn(part, 'approved') && part.approved
      if (about !== undefined)
        answers = [...answers, { ...about, approvalId, isApproved, reason, isUsed: false }]
    }
  }
  return answers
}

/** Whether an answer is about this call; what the messages do not have of a call is not compared. */
export function isAbout(
  { toolCallId, name, input }: GivenAnswer,
  call: { readonly id: string; readonly name: string; readonly args: JsonValue },
): boolean {
  if (toolCallId !== call.id || (name !== undefined && name !== call.name)) return false
  return input === undefined || canonicalJson(input as JsonValue) === canonicalJson(call.args)
}

/**
 * Where a call belongs. The messages are all that there is to tell turns apart, so a turn is named after the message of
 * the user that began it, and is the same in another process.
 */
export function placeOf(messages: readonly ModelMessage[], toolCallId: string): Place {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const users = messages.filter(({ role }) => role === 'user').length
  const text = JSON.stringify([users, last < 0 ? null : messages[last]?.content])
  const rounds = messages.slice(last + 1).map(callsIn)
  const earlier = rounds.filter((ids) => ids.length > 0 && !ids.includes(toolCallId)).length
  return { turn: `ai-${digest(text).slice(0, TURN_CHARS)}`, iteration: earlier + 1 }
}

function callsIn({ role, content }: ModelMessage): readonly string[] {
  if (role !== 'assistant' || typeof content === 'string') return []
  return content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
}
