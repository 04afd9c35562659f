import type {
  AssistantPart,
  EndReason,
  ModelClient,
  ModelDelta,
  ModelRequest,
} from '../../model/model-client.ts'
import { ModelError } from '../../model/model-client.ts'
import { withRetries } from '../../model/with-retries.ts'
import type { RetryOptions } from '../../model/with-retries.ts'
import { parseFencedCalls } from '../../wire/fenced.ts'
import { addUsage, NOTHING_USED, priceUsage } from './budget.ts'
import type { PriceSetting } from '../../config/kinds/table-kinds.ts'
import type { ConversationLog } from '../log/conversation-log.ts'
import type { ConversationEvent, Usage } from '../events.ts'
import { joinParts, textOf } from '../context/message-parts.ts'
import type { Protocol } from './read-calls.ts'

/** What listening needs. */
export interface ReceiveOptions {
  readonly model: ModelClient
  readonly turn: string
  readonly reading: Protocol
  readonly log: ConversationLog
  readonly emit: (event: ConversationEvent) => void
  readonly signal: AbortSignal
  readonly retries: RetryOptions
  readonly prices: readonly PriceSetting[]
  /** How long pieces of a message may be kept from the log. */
  readonly draftMs: number
  readonly elapsed: () => number
}

/** How a message ended, with what came in of it. */
export type ReceivedReply = {
  readonly usage: Usage
  readonly parts: readonly AssistantPart[]
  readonly reason: EndReason | null
} & ({ readonly is: 'whole' | 'cancelled' } | { readonly is: 'failed'; readonly error: ModelError })

/** Listens to one message of the model. What comes in is on record before the message is complete, calls first of all. */
export async function receiveMessage(request: ModelRequest, options: ReceiveOptions): Promise<ReceivedReply> {
  const { model, turn, log, emit, signal } = options
  const ear = openEar(options)
  const client = withRetries(model, {
    ...options.retries,
    onRetry: ({ attempt, delayMs, error, hasHandedOut }) => {
      if (hasHandedOut) {
        ear.clear()
        log.dropDraft(turn, error.code)
      }
      const { message } = error
      emit({ event: 'retry', attempt, delay_ms: delayMs, is_void: hasHandedOut, message })
    },
  })
  try {
    for await (const delta of client.stream(request, signal)) ear.hear(delta)
    ear.end()
    return { is: 'whole', ...ear.heard() }
  } catch (thrown) {
    if (signal.aborted) {
      ear.tellVoid()
      return { is: 'cancelled', ...ear.heard() }
    }
    if (!(thrown instanceof ModelError)) throw thrown
    log.dropDraft(turn, thrown.code)
    return { is: 'failed', error: thrown, ...ear.heard() }
  }
}

function openEar({ model, turn, reading, log, emit, prices, draftMs, elapsed }: ReceiveOptions) {
  /** Null is the place of a call that has begun: calls stand in the order in which they began. */
  let parts: (AssistantPart | null)[] = []
  let pieces: AssistantPart[] = []
  let writtenAt = Number.NEGATIVE_INFINITY
  let fencedCalls = 0
  let usage = NOTHING_USED
  let reason: EndReason | null = null
  let startsOver = false
  let unended = ''
  const begun = new Map<string, { readonly name: string; readonly place: number }>()
  const saidParts = (): readonly AssistantPart[] => parts.filter((part) => part !== null)

  function take(part: AssistantPart): void {
    parts.push(part)
    pieces.push(part)
  }

  function write(): void {
    if (pieces.length > 0) log.draft(turn, joinParts(pieces))
    pieces = []
    writtenAt = elapsed()
  }

  /** Whether a line with a fence is whole now; only such a line can end a block, and a message has many others. */
  function endsFence(text: string): boolean {
    unended += text
    const end = unended.lastIndexOf('\n')
    if (end === -1) return false
    const lines = unended.slice(0, end)
    unended = unended.slice(end)
    return lines.includes('```')
  }

  /** Blocks that have come in whole are calls already, whatever the rest of the message says. */
  function writeFenced(said: string): void {
    const calls = parseFencedCalls(said)
    if (calls.length > fencedCalls) write()
    for (const { id, name, args } of calls.slice(fencedCalls))
      log.streamCall(turn, { id, name, argsText: JSON.stringify(args), isFenced: true })
    fencedCalls = calls.length
  }

  function hear(delta: ModelDelta): void {
    switch (delta.type) {
      case 'text':
        take({ type: 'text', text: delta.text })
        if (elapsed() - writtenAt >= draftMs) write()
        if (reading === 'fenced' && endsFence(delta.text)) writeFenced(wholeLines(textOf(saidParts())))
        emit({ event: 'text', text: delta.text, ...(startsOver ? { starts_over: true } : {}) })
        startsOver = false
        return
      case 'reasoning': {
        const { text, metadata } = delta
        take({ type: 'reasoning', text, ...(metadata === undefined ? {} : { metadata }) })
        if (text !== '') emit({ event: 'reasoning', text })
        return
      }
      case 'call_start':
        begun.set(delta.id, { name: delta.name, place: parts.push(null) - 1 })
        return
      case 'call_end': {
        const { id, argsText, metadata } = delta
        const { name, place } = begun.get(id) ?? { name: '', place: parts.push(null) - 1 }
        const call = {
          id,
          name,
          argsText,
          ...(metadata === undefined ? {} : { metadata }),
        }
        write()
        log.streamCall(turn, call)
        parts[place] = { type: 'call', ...call }
        return
      }
      case 'usage': {
        const used = priceUsage(delta, model.id, prices)
        usage = addUsage(usage, used)
        log.spend(model.id, used)
        return
      }
      case 'end':
        ;({ reason } = delta)
        return
      case 'call_delta':
    }
  }

  /** Whoever was told a text hears that it is void, also where none takes its place. */
  function tellVoid(): void {
    if (startsOver) emit({ event: 'text', text: '', starts_over: true })
    startsOver = false
  }

  return {
    hear,
    tellVoid,
    clear: () => {
      startsOver ||= textOf(saidParts()) !== ''
      unended = ''
      parts = []
      pieces = []
      fencedCalls = 0
      begun.clear()
    },
    end: () => {
      tellVoid()
      if (reading === 'fenced' && begun.size === 0) writeFenced(textOf(saidParts()))
    },
    heard: () => ({ parts: joinParts(saidParts()), usage, reason }),
  }
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n'))
}
