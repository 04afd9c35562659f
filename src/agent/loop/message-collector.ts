import type { PriceSetting } from '../../config/kinds/table-kinds.ts'
import type { AssistantPart, EndReason, ModelClient, ModelDelta } from '../../model/model-client.ts'
import { parseFencedCalls } from '../../wire/fenced.ts'
import { joinParts, textOf } from '../context/message-parts.ts'
import type { Usage } from '../events.ts'
import type { ConversationLog } from '../log/conversation-log.ts'
import { addUsage, NOTHING_USED, priceUsage } from './budget.ts'
import type { Emit } from './event-stream.ts'
import type { Protocol } from './read-calls.ts'

/** What collecting a message needs. */
export interface CollectorOptions {
  readonly model: ModelClient
  readonly turn: string
  readonly reading: Protocol
  readonly log: ConversationLog
  readonly emit: Emit
  readonly prices: readonly PriceSetting[]
  /** What the request was taken to be, beside which the provider's count is recorded. */
  readonly estimatedTokens: number
  /** How long pieces of a message may stay unlogged. */
  readonly draftMs: number
  readonly elapsed: () => number
  /** Whether it follows another message directly, so that listeners must not join the two. */
  readonly isAnother: boolean
}

/** What arrived of a message. */
export interface CollectedMessage {
  readonly usage: Usage
  readonly parts: readonly AssistantPart[]
  readonly reason: EndReason | null
}

/** Assembles a message from its deltas; each piece is logged and emitted as it arrives. */
export class MessageCollector {
  readonly #options: CollectorOptions
  /** Null reserves the place of a call that has started, so that calls stay in the order in which they started. */
  #parts: (AssistantPart | null)[] = []
  readonly #begunCalls = new Map<string, { readonly name: string; readonly place: number }>()
  #unlogged: AssistantPart[] = []
  #loggedAt = Number.NEGATIVE_INFINITY
  #fencedCalls = 0
  #unfinishedLine = ''
  #usage = NOTHING_USED
  #reason: EndReason | null = null
  #startsOver = false
  #isAnother: boolean

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#isAnother = options.isAnother
  }

  /** Takes in the next delta. */
  add(delta: ModelDelta): void {
    switch (delta.type) {
      case 'text':
        this.#addText(delta.text)
        return
      case 'reasoning': {
        const { text, metadata } = delta
        this.#addPart({ type: 'reasoning', text, ...(metadata === undefined ? {} : { metadata }) })
        if (text !== '') this.#options.emit({ event: 'reasoning', text })
        return
      }
      case 'call_start':
        this.#begunCalls.set(delta.id, { name: delta.name, place: this.#parts.push(null) - 1 })
        return
      case 'call_end':
        this.#addCall(delta)
        return
      case 'usage': {
        const { model, prices, log } = this.#options
        const used = priceUsage(delta, model.id, prices)
        this.#usage = addUsage(this.#usage, used)
        log.spend(model.id, used, this.#options.estimatedTokens)
        return
      }
      case 'end':
        this.#reason = delta.reason
        return
      case 'call_delta':
    }
  }

  /** The message is complete. */
  finish(): void {
    this.emitVoid()
    if (this.#options.reading === 'fenced' && this.#begunCalls.size === 0) this.#logFencedCalls(this.#text())
  }

  /** Drops what arrived, because the request is retried. */
  restart(): void {
    this.#startsOver ||= this.#text() !== ''
    this.#unfinishedLine = ''
    this.#parts = []
    this.#unlogged = []
    this.#fencedCalls = 0
    this.#begunCalls.clear()
  }

  /** Tells listeners that the text they received is void, even if no other text replaces it. */
  emitVoid(): void {
    if (this.#startsOver) this.#options.emit({ event: 'text', text: '', starts_over: true })
    this.#startsOver = false
  }

  collected(): CollectedMessage {
    return { parts: joinParts(this.#wholeParts()), usage: this.#usage, reason: this.#reason }
  }

  #addText(text: string): void {
    const { emit, reading, elapsed, draftMs } = this.#options
    this.#addPart({ type: 'text', text })
    if (elapsed() - this.#loggedAt >= draftMs) this.#logDraft()
    if (reading === 'fenced' && this.#endsFence(text)) this.#logFencedCalls(wholeLines(this.#text()))
    const marks = {
      ...(this.#startsOver ? { starts_over: true as const } : {}),
      ...(this.#isAnother ? { another: true as const } : {}),
    }
    emit({ event: 'text', text, ...marks })
    this.#startsOver = false
    this.#isAnother = false
  }

  #addCall({ id, argsText, metadata }: Extract<ModelDelta, { type: 'call_end' }>): void {
    const { log, turn } = this.#options
    const { name, place } = this.#begunCalls.get(id) ?? { name: '', place: this.#parts.push(null) - 1 }
    const call = { id, name, argsText, ...(metadata === undefined ? {} : { metadata }) }
    this.#logDraft()
    log.streamCall(turn, call)
    this.#parts[place] = { type: 'call', ...call }
  }

  #addPart(part: AssistantPart): void {
    this.#parts.push(part)
    this.#unlogged.push(part)
  }

  #logDraft(): void {
    const { log, turn, elapsed } = this.#options
    if (this.#unlogged.length > 0) log.draft(turn, joinParts(this.#unlogged))
    this.#unlogged = []
    this.#loggedAt = elapsed()
  }

  /** Whether a line with a fence is now complete; only such a line can end a block, so other lines need no parsing. */
  #endsFence(text: string): boolean {
    this.#unfinishedLine += text
    const end = this.#unfinishedLine.lastIndexOf('\n')
    if (end === -1) return false
    const lines = this.#unfinishedLine.slice(0, end)
    this.#unfinishedLine = this.#unfinishedLine.slice(end)
    return lines.includes('```')
  }

  /** Complete blocks are logged as calls at once, whatever the rest of the message says. */
  #logFencedCalls(said: string): void {
    const { log, turn } = this.#options
    const calls = parseFencedCalls(said)
    if (calls.length > this.#fencedCalls) this.#logDraft()
    for (const { id, name, args } of calls.slice(this.#fencedCalls))
      log.streamCall(turn, { id, name, argsText: JSON.stringify(args), isFenced: true })
    this.#fencedCalls = calls.length
  }

  #wholeParts(): readonly AssistantPart[] {
    return this.#parts.filter((part) => part !== null)
  }

  #text(): string {
    return textOf(this.#wholeParts())
  }
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n'))
}
