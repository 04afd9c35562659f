import type { ModelClient, ModelMessage } from '../../model/model-client.ts'
import { ModelError } from '../../model/model-client.ts'
import { withRetries } from '../../model/with-retries.ts'
import type { RetryOptions } from '../../model/with-retries.ts'
import type { PriceSetting } from '../../config/kinds/table-kinds.ts'
import { addUsage, NOTHING_USED, priceUsage } from '../loop/budget.ts'
import { estimateTokens } from './capacity.ts'
import type { ConversationLog } from '../log/conversation-log.ts'
import type { Emit } from '../loop/event-stream.ts'
import type { Usage } from '../events.ts'
import { buildMessages } from './build-messages.ts'
import type { Spoken } from '../log/transcript.ts'

/** The room in the context window, and when to shorten. */
export interface ContextRoom {
  /** What a request may use, without the room reserved for its answer. */
  readonly tokens: number
  readonly shrinkAtPercent: number
  readonly keepPercent: number
}

/** What shrinking needs. */
export interface Shrinking {
  readonly model: ModelClient
  readonly log: ConversationLog
  readonly emit: Emit
  readonly signal: AbortSignal
  /** The size of the next request as it stands. */
  readonly usedTokens: () => number
  /** Null if the context window is unknown. */
  readonly room: ContextRoom | null
  readonly prices: readonly PriceSetting[]
  readonly retries: RetryOptions
}

/** Whether a request of this size fills more than this percentage of the room. */
export function isFilled({ tokens }: ContextRoom, usedTokens: number, percent: number): boolean {
  return usedTokens > (tokens * percent) / 100
}

const SUMMARY_PROMPT =
  'Summarize this conversation for yourself: what the user wants, what was found out and done, which files were changed, and what is still to do. Keep everything that is needed to continue, and write nothing else.'

/**
 * Makes room when the conversation fills the context window: older results become stubs, and if that is not enough,
 * the model summarizes older messages. Each step frees enough room to be rare, because it invalidates the provider's
 * cache. The log keeps everything. Returns what the summary used.
 */
export async function shrink(shrinking: Shrinking): Promise<Usage> {
  const { log, emit, usedTokens, room } = shrinking
  if (room === null) return NOTHING_USED
  const { shrinkAtPercent, keepPercent } = room
  const isOver = (percent: number): boolean => isFilled(room, usedTokens(), percent)
  if (!isOver(shrinkAtPercent)) return NOTHING_USED
  const { spoken, condensed } = log.read()
  const upTo = findOldEnd(spoken, (room.tokens * keepPercent) / 100)
  if (upTo > condensed.stubsUpTo) {
    log.condense(upTo, null)
    emitShrunk(log, emit)
  }
  // If stubs free little room, the next step would follow soon; a summary postpones it.
  if (!isOver((shrinkAtPercent + keepPercent) / 2)) return NOTHING_USED
  const cut = findCut(spoken, upTo)
  if (cut <= condensed.summaryUpTo) return NOTHING_USED
  const { text, usage } = await summarize(cut, shrinking)
  if (text.trim() === '') return usage
  log.condense(cut, text)
  emitShrunk(log, emit)
  return usage
}

function emitShrunk(log: ConversationLog, emit: Emit): void {
  const { stubbedResults, summarizedMessages } = buildMessages(log.read(), 'native')
  emit({ event: 'shrunk', results: stubbedResults, messages: summarizedMessages })
}

/** The position up to which messages count as old; what follows fits into the part that stays whole. */
function findOldEnd(spoken: readonly Spoken[], tokens: number): number {
  let left = tokens
  for (const one of spoken.toReversed()) {
    left -= estimateTokens('', [toMessage(one)])
    if (left < 0) return one.seq
  }
  return 0
}

function toMessage(one: Spoken): ModelMessage {
  if (one.role === 'user') return one
  if (one.role === 'assistant') return { role: 'assistant', parts: one.parts }
  const results = [...one.batch.results.values()].map(({ id, name, content }) => ({
    id,
    name,
    content,
    isError: false,
  }))
  return { role: 'tool', results }
}

/** The last position up to `upTo` that does not separate a message from its results and leaves something after it. */
function findCut(spoken: readonly Spoken[], upTo: number): number {
  const index = spoken.findLastIndex(
    ({ seq }, at) => seq <= upTo && at < spoken.length - 1 && spoken[at + 1]?.role !== 'results',
  )
  return spoken[index]?.seq ?? 0
}

/** Has the model summarize the conversation up to a position; empty if it fails, and then nothing is shortened. */
async function summarize(
  cut: number,
  { model, log, signal, prices, retries }: Shrinking,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const known = log.read()
  const older = { ...known, spoken: known.spoken.filter(({ seq }) => seq <= cut) }
  // As text, because providers that see calls require tools as well.
  const { messages } = buildMessages(older, 'fenced')
  const request = {
    system: '',
    messages: [...messages, { role: 'user', text: SUMMARY_PROMPT } as const],
    tools: [],
    isForSummary: true,
  } as const
  let text = ''
  let usage = NOTHING_USED
  const client = withRetries(model, { ...retries, onRetry: () => (text = '') })
  try {
    for await (const delta of client.stream(request, signal)) {
      if (delta.type === 'text') text += delta.text
      if (delta.type !== 'usage') continue
      usage = addUsage(usage, priceUsage(delta, model.id, prices))
      log.spend(model.id, usage)
    }
    return { text, usage }
  } catch (thrown) {
    if (signal.aborted || thrown instanceof ModelError) return { text: '', usage }
    throw thrown
  }
}
