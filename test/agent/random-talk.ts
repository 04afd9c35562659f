import type { Conversation } from '../../src/agent/conversation.ts'
import { openConversation } from '../../src/agent/open-conversation.ts'
import { forkSession } from '../../src/agent/sessions/fork-session.ts'
import type { SessionReader } from '../../src/journal/log.ts'
import { ModelError } from '../../src/model/model-client.ts'
import type { ModelClient, ModelDelta, ModelRequest } from '../../src/model/model-client.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { bench } from '../bench-folder.ts'
import { chooserFrom } from '../harness/long-run.ts'

/** A request as it was sent, and how many compaction points its session had then. */
export interface SentRequest {
  readonly request: ModelRequest
  readonly points: number
  /** The request that it should begin with; null for the first one of all. */
  readonly before: SentRequest | null
}

interface Live {
  readonly runtime: Runtime
  readonly conversation: Conversation
}

type Choose = (limit: number) => number

const FILES = {
  ...Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      `${name}.txt`,
      `${name} crimson ${'line of text\n'.repeat(40)}the end of ${name}\n`,
    ]),
  ),
  'sub/AGENTS.md': 'Words about sub.',
  'sub/d.txt': 'in sub\n',
}
const SETTINGS = {
  'model.context_tokens': 13_000,
  'conversation.keep_percent': 20,
  'tools.max_tool_iterations_per_user_turn': 6,
}

/** A conversation in which anything may happen, by a seed; returns every request for an answer. At its end, `look` may read it. */
export async function talkAtRandom(
  seed: number,
  steps: number,
  look: (log: SessionReader) => void = () => undefined,
): Promise<readonly SentRequest[]> {
  const choose = chooserFrom(seed)
  const b = bench(FILES)
  const sent: SentRequest[] = []
  let session = 's'
  let calls = 0
  const pointsOf = (): number =>
    [...live.runtime.log({ session })].filter(({ entry }) => entry.kind === 'condensed').length
  const model: ModelClient = {
    id: 'random/model',
    hasTools: true,
    contextTokens: null,
    stream: async function* (request, signal) {
      signal.throwIfAborted()
      if (request.isForSummary === true) {
        yield* choose(4) === 0 ? [] : say(`Summed up ${request.messages.length}.`)
        return
      }
      sent.push({ request: structuredClone(request), points: pointsOf(), before: sent.at(-1) ?? null })
      yield* answer(choose, () => `c${++calls}`)
    },
  }
  const open = async (): Promise<Live> => {
    const isAsking = choose(3) === 0
    const approve = isAsking ? ('later' as const) : () => ['once' as const]
    const runtime = await b.open({ durability: 'normal', approve, config: SETTINGS })
    const conversation = await openConversation({ runtime, model, session, retries: { maxRetries: 0 } })
    if (conversation.state() === 'interrupted') await conversation[choose(2) === 0 ? 'resume' : 'discard']()
    return { runtime, conversation }
  }
  const turn = async (text: string | null): Promise<void> => {
    const isSteered = choose(4) === 0
    const isCancelled = choose(8) === 0
    const { conversation } = live
    for await (const { event } of conversation.watch(text)) {
      if (event === 'call' && isSteered) conversation.steer(`Wait, ${choose(100)}.`)
      if (event === 'text' && isCancelled) conversation.cancel()
    }
  }
  let live = await open()
  for (let step = 0; step < steps; step++) {
    const action = choose(14)
    const { runtime, conversation } = live
    if (action < 6) await turn(`Prompt ${step}. ${'word '.repeat(choose(60))}`)
    else if (action === 6) await turn(null)
    else if (action === 7) await runtime.undo({ session })
    else if (action === 8) await runtime.redo({ session })
    else if (action === 9) b.put(`${'abc'[choose(3)] ?? 'a'}.txt`, `other ${'text '.repeat(choose(200))}\n`)
    else if (action === 10) {
      await runtime.close()
      live = await open()
    } else if (action === 11) {
      const isApproved = choose(2) === 0
      await runtime.decide('all', { isApproved }).catch(() => undefined)
      await turn(null)
    } else if (action === 12 && choose(2) === 0)
      await conversation.compact(choose(2) === 0 ? 'the files' : '')
    else if (action === 13) {
      const forked = await forkSession(runtime, session, {})
      if (forked.ok) {
        session = forked.session
        await runtime.close()
        live = await open()
      }
    }
  }
  look(live.runtime.peek(session))
  await live.runtime.close()
  return sent
}

async function* say(text: string): AsyncGenerator<ModelDelta> {
  yield { type: 'text', text }
  yield { type: 'end', reason: 'stop' }
}

const CALLS: readonly (readonly [name: string, args: (choose: Choose) => object])[] = [
  ['read_file', (choose) => ({ path: `${'abcx'[choose(4)] ?? 'a'}.txt` })],
  ['read_file', (choose) => ({ path: 'a.txt', start_line: 1 + choose(5), end_line: 6 + choose(20) })],
  ['search', (choose) => ({ query: ['crimson', 'line', 'nothing at all'][choose(3)] })],
  ['list_files', (choose) => ({ path: ['.', 'sub'][choose(2)] })],
  [
    'write_file',
    (choose) => ({ path: `n${choose(3)}.txt`, content: `${choose(1000)}\n`.repeat(choose(80)) }),
  ],
  ['edit_file', (choose) => ({ path: 'a.txt', old: 'the end of a', new: `the end ${choose(9)} of a` })],
  ['no_such_tool', () => ({ path: 'a.txt' })],
  ['read_file', () => ({ wrong: true })],
]

/** A message: thoughts, text, calls, or a failure in the middle. */
async function* answer(choose: Choose, newId: () => string): AsyncGenerator<ModelDelta> {
  if (choose(10) === 0) throw new ModelError('bad_request', 'random/model answered 400: no.')
  if (choose(3) === 0) yield { type: 'reasoning', text: `Hmm ${choose(100)}` }
  if (choose(3) > 0) yield { type: 'text', text: `I say ${'so '.repeat(choose(40))}` }
  if (choose(12) === 0) throw new ModelError('network', 'random/model: gone.')
  const count = choose(5) === 0 ? 0 : choose(3)
  for (let at = 0; at < count; at++) {
    const [name, args] = CALLS[choose(CALLS.length)] ?? ['read_file', () => ({})]
    const [id, argsText] = [newId(), JSON.stringify(args(choose))]
    yield { type: 'call_start', id, name }
    yield { type: 'call_end', id, argsText }
  }
  yield { type: 'usage', input: 1 + choose(6000), output: 10, cached: 0 }
  yield { type: 'end', reason: count === 0 ? 'stop' : 'calls' }
}
