import { describe, expect, it } from 'vitest'
import { openModel } from '../../src/model/open-model.ts'
import type { ModelRequest } from '../../src/model/model-client.ts'
import { HARDENING_SEED, triesOf } from '../harness/long-run.ts'
import { startModelServer } from '../model/model-server.ts'
import { PROVIDER_STREAMS } from '../model/provider-streams.ts'
import { talkAtRandom } from './random-talk.ts'
import type { SentRequest } from './random-talk.ts'

const STEPS = 26
const TRIES = triesOf(6, 300)
/** A talk may end early, on a question that waits; so there are more seeds than tries. */
const SEEDS = Array.from({ length: TRIES * 4 }, (_, at) => HARDENING_SEED + at)
const ENOUGH = 12

/**
 * Where two lists of messages part, as text; null if the second begins with the first. Only the last message may have grown,
 * at its end: what is said before an answer is joined to it.
 */
function findParting(before: readonly unknown[], now: readonly unknown[]): string | null {
  for (const [index, message] of before.entries()) {
    const [was, is] = [JSON.stringify(message), JSON.stringify(now[index]) ?? '']
    const isLast = index === before.length - 1
    if (was === is || (isLast && is.startsWith(was.replace(/["\]}]+$/, '')))) continue
    return `message ${index}:\n${was}\nis now\n${is}`
  }
  return null
}

/** Every request with the one it has to begin with; a compaction point in between breaks the rule, on purpose. */
function pairsOf(sent: readonly SentRequest[]): readonly (readonly [ModelRequest, ModelRequest])[] {
  return sent.flatMap(({ request, points, before }) =>
    before === null || before.points !== points ? [] : [[before.request, request] as const],
  )
}

describe('between two compaction points', () => {
  it('every request begins with the whole one before, over undo, restarts, forks, late answers and words in between', async () => {
    let [pairs, points, longest] = [0, 0, 0]
    for (const [at, seed] of SEEDS.entries()) {
      if (at >= TRIES && pairs > ENOUGH && points > 0 && longest > 8) break
      const sent = await talkAtRandom(seed, STEPS)
      points += sent.at(-1)?.points ?? 0
      for (const [before, now] of pairsOf(sent)) {
        pairs += 1
        longest = Math.max(longest, now.messages.length)
        const parting = findParting(before.messages, now.messages)
        expect(parting, `HARDENING_SEED=${seed}`).toBeNull()
        expect(now.system, `HARDENING_SEED=${seed}`).toBe(before.system)
        expect(JSON.stringify(now.tools)).toBe(JSON.stringify(before.tools))
      }
    }
    expect(pairs).toBeGreaterThan(ENOUGH)
    expect(points).toBeGreaterThan(0)
    expect(longest).toBeGreaterThan(8)
  })

  it.each(PROVIDER_STREAMS)('so does what goes over the wire to $model', async (provider) => {
    const server = await startModelServer({ pieces: provider.hello })
    const client = await openModel(provider.model, {
      env: { [provider.key]: 'k'.repeat(20) },
      baseUrl: server.url + provider.path,
    })
    const bodyOf = async (request: ModelRequest): Promise<Record<string, unknown>> => {
      for await (const delta of client.stream(request, new AbortController().signal)) void delta
      return JSON.parse(server.seen.at(-1)?.body ?? '{}') as Record<string, unknown>
    }
    const messagesOf = (body: Record<string, unknown>): readonly unknown[] => {
      const found = body['messages'] ?? body['input'] ?? body['contents']
      if (!Array.isArray(found)) throw new Error(`no messages in ${JSON.stringify(body)}`)
      return found
    }
    const frameOf = ({ messages: _m, input: _i, contents: _c, ...frame }: Record<string, unknown>): string =>
      JSON.stringify(frame)
    let compared = 0
    for (const seed of SEEDS) {
      if (compared > triesOf(ENOUGH, 1_000)) break
      for (const [before, now] of pairsOf(await talkAtRandom(seed, STEPS))) {
        const [one, other] = [await bodyOf(before), await bodyOf(now)]
        expect(findParting(messagesOf(one), messagesOf(other)), `HARDENING_SEED=${seed}`).toBeNull()
        expect(frameOf(other)).toBe(frameOf(one))
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(ENOUGH)
  })
})
