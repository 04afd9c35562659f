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

/** How much there is room for. */
export interface ContextRoom {
  /** What a request may take up without the room for its answer. */
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
  /** What the next request takes up as things are. */
  readonly usedTokens: () => number
  /** Null where nobody knows how much the model can look at. */
  readonly room: ContextRoom | null
  readonly prices: readonly PriceSetting[]
  readonly retries: RetryOptions
}

/** Whether a request of so many tokens fills more than this of the room. */
export function isFilled({ tokens }: ContextRoom, usedTokens: number, percent: number): boolean {
  return usedTokens > (tokens * percent) / 100
}

const SUMMARY_PROMPT =
  'Summarize this conversation for yourself: what the user wants, what was found out and done, which files were changed, and what is still to do. Keep everything that is needed to continue, and write nothing else.'

/**
 * Makes room where the conversation has filled it: older results become stubs, and if that is not enough, older messages
 * become a summary that the model writes. It goes far enough to be rare, because each step makes the provider read
 * everything anew. The log keeps all of it. What the summary used is given back.
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
  // Where stubs give little room, the next step would come soon; a summary puts it off.
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

/** The place up to which things are old: what comes after it fits into what is kept whole. */
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

/** The newest place at or before `upTo` where no message is parted from its results, and something is left after it. */
function findCut(spoken: readonly Spoken[], upTo: number): number {
  const index = spoken.findLastIndex(
    ({ seq }, at) => seq <= upTo && at < spoken.length - 1 && spoken[at + 1]?.role !== 'results',
  )
  return spoken[index]?.seq ?? 0
}

/** The model's own words for what was said up to a place; nothing if it fails, and then everything stays as it is. */
async function summarize(
  cut: number,
  { model, log, signal, prices, retries }: Shrinking,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const known = log.read()
  const older = { ...known, spoken: known.spoken.filter(({ seq }) => seq <= cut) }
  // As text: a provider that is given calls wants to be given tools as well.
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
