import { describe, expect, it } from 'vitest'
import type { ModelMessage, ModelRequest } from '../../src/model/model-client.ts'
import { call, stopOf, talk } from './talk.ts'

const ROUNDS = 40
const CONFIG = {
  'model.context_tokens': 40_000,
  'conversation.keep_percent': 20,
  'tools.max_tool_iterations_per_user_turn': 100,
}

/** Rounds of two calls each; `said` and `found` are how long the messages and the results are. */
async function fill(said: number, found: number): Promise<readonly ModelRequest[]> {
  const files = Object.fromEntries(
    Array.from({ length: ROUNDS * 2 }, (_, n) => [`f${n}.txt`, `${n} ${'y'.repeat(found)}\n`]),
  )
  const turns = Array.from({ length: ROUNDS }, (_, n) => ({
    text: `Message ${n}. ${'x'.repeat(said)}`,
    calls: [2 * n, 2 * n + 1].map((one) => call(`c${one}`, 'read_file', { path: `f${one}.txt` })),
  }))
  // A summary takes a message of the script as well.
  const t = await talk([...turns, ...Array.from({ length: ROUNDS }, () => ({ text: 'Read.' }))], {
    files,
    durability: 'normal',
    config: CONFIG,
  })
  expect(stopOf(await t.sayAll('read them all'))).toEqual(['end'])
  return t.requests
}

const callsOf = (message: ModelMessage | undefined): readonly string[] =>
  message?.role === 'assistant'
    ? message.parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))
    : []

/** What is parted in a conversation as a model is given it: calls without results, or results without their calls. */
function findParted(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') {
      const calls = callsOf(messages[index - 1])
      return message.results.map(({ id }) => id).join() === calls.join() ? [] : [`results of ${calls.join()}`]
    }
    // The person, or the summary, speaks once and first: further on, this is results whose message is gone.
    if (message.role === 'user') return index === 0 ? [] : ['results as text']
    const isFollowed = messages[index + 1]?.role === 'tool'
    return callsOf(message).length > 0 === isFollowed ? [] : [`calls of message ${index}`]
  })
}

describe('a summary of what was said before', () => {
  it.each([
    ['long messages and short results', 5000, 20],
    ['short messages and long results', 1000, 3000],
    ['messages and results of one size', 2000, 1000],
  ])('never ends between calls and their results: %s', async (_what, said, found) => {
    const requests = await fill(said, found)
    const summaries = requests.filter(({ isForSummary }) => isForSummary === true)
    expect(summaries.length).toBeGreaterThan(0)
    for (const { messages, isForSummary } of requests)
      if (isForSummary !== true) expect(findParted(messages)).toEqual([])
  })
})
