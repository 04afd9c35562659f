import type { ModelMessage } from 'ai'
import { digest } from '../../host/system/hash.ts'

/** What a person answered in the application, as the messages say it. */
export interface GivenAnswer {
  readonly toolCallId: string
  readonly isApproved: boolean
  readonly reason: string | null
}

/** The place of a call in a conversation. */
export interface Place {
  /** The same for everything that follows one message of the user. */
  readonly turn: string
  /** How often the model has requested tools in this turn, from 1. */
  readonly iteration: number
}

const TURN_CHARS = 24

/** The answers of people to approval requests in these messages, in order. */
export function readAnswers(messages: readonly ModelMessage[]): readonly GivenAnswer[] {
  const callOf = new Map<string, string>()
  const answers: GivenAnswer[] = []
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue
    for (const part of content) {
      // What the application approves by itself, without a person, is no answer to a question.
      if (role === 'assistant' && part.type === 'tool-approval-request' && part.isAutomatic !== true)
        callOf.set(part.approvalId, part.toolCallId)
      if (role !== 'tool' || part.type !== 'tool-approval-response') continue
      const toolCallId = callOf.get(part.approvalId)
      if (toolCallId !== undefined)
        answers.push({ toolCallId, isApproved: part.approved, reason: part.reason ?? null })
    }
  }
  return answers
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
