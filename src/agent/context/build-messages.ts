import type { ToolResult } from '../../core/result.ts'
import { BROKEN_OFF } from '../../model/model-client.ts'
import type { AnsweredCall, AssistantPart, ModelMessage } from '../../model/model-client.ts'
import { formatFencedCall, formatFencedResult } from '../../wire/fenced.ts'
import type { Protocol } from '../loop/read-calls.ts'
import { joinOwnRows, rowsOf } from '../log/spoken-batch.ts'
import type { SpokenBatch } from '../log/spoken-batch.ts'
import { revertMessage } from '../log/transcript.ts'
import type { Spoken, Transcript } from '../log/transcript.ts'

/** A conversation in the form that is sent to a model. */
export interface BuiltMessages {
  readonly messages: readonly ModelMessage[]
  /** How many of the model's own messages the summary replaces. */
  readonly leftOut: number
  readonly stubbedResults: number
  readonly summarizedMessages: number
}

type Said = Extract<Spoken, { role: 'assistant' }>

/** Shorter results are never stubbed. */
const STUB_CHARS = 240

/** Builds the messages to send. The same log always gives the same messages, so that a longer conversation starts with the cached part. */
export function buildMessages(transcript: Transcript, protocol: Protocol): BuiltMessages {
  const { spoken, condensed } = transcript
  const { summaryUpTo, stubsUpTo, summary } = condensed
  const said = spoken.filter(({ seq }) => seq > summaryUpTo)
  // What was reverted since comes last; once something is said, the log puts it at the same place.
  const recent = [...said, ...(transcript.isAnswered ? revertMessage(transcript, Infinity) : [])]
  const messages: ModelMessage[] = []
  let stubbedResults = 0
  if (summaryUpTo > 0) messages.push({ role: 'user', text: introduceSummary(summary) })
  for (const [index, one] of recent.entries()) {
    if (one.role === 'user') messages.push(one)
    else if (one.role === 'assistant') messages.push(buildAssistant(one, recent[index + 1], protocol))
    else {
      const before = recent[index - 1]
      const isStub = one.seq <= stubsUpTo
      const results = answersOf(one.batch, before?.role === 'assistant' ? before : null)
      stubbedResults += isStub ? results.filter(({ content }) => isLong(content)).length : 0
      messages.push(buildResults(results, isStub, before, protocol))
    }
  }
  const leftOut = spoken.filter(({ seq, role }) => seq <= summaryUpTo && role === 'assistant').length
  return {
    messages: messages.map(plain),
    leftOut,
    stubbedResults,
    summarizedMessages: spoken.length - said.length,
  }
}

/** Drops the positions in the log, which mean nothing outside. */
function plain(message: ModelMessage): ModelMessage {
  return message.role === 'user' ? { role: 'user', text: message.text } : message
}

function introduceSummary(summary: string): string {
  return `The earlier conversation is left out here. A summary of it:\n\n${summary}`
}

/** Leaves out calls without results, because no provider accepts them. */
function buildAssistant(said: Said, next: Spoken | undefined, protocol: Protocol): ModelMessage {
  const isAnswered = next?.role === 'results'
  const parts = said.parts.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'call') return [part]
    if (!isAnswered) return []
    if (protocol === 'native') return [part]
    return [{ type: 'text', text: `\n${formatFencedCall(part.id, part.name, part.argsText)}\n` }]
  })
  const isCut = said.isBroken && !isAnswered
  return { role: 'assistant', parts: isCut ? [...parts, { type: 'text', text: BROKEN_OFF }] : parts }
}

interface Row extends AnsweredCall {
  readonly fenced: string
}

/** The results of a batch in call order, with the ids that the message used. */
function answersOf(batch: SpokenBatch, said: Said | null): readonly Row[] {
  const ids = said?.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) ?? []
  const rows = joinOwnRows(rowsOf(batch))
  return rows.map((row): Row => {
    const place = batch.entry.calls.findIndex(({ execution }) => execution === row.execution.id)
    const result = batch.recovered === 'discard' ? discarded(row) : row
    return {
      id: ids[place] ?? row.id,
      name: row.name,
      content: result.content,
      isError: !result.ok,
      fenced: formatFencedResult(result),
    }
  })
}

/** After a discarded batch the model sees how each call ended, but no result. */
function discarded(result: ToolResult): ToolResult {
  if (!result.ok && (result.error.code === 'discarded' || result.error.code === 'in_doubt')) return result
  const { id, name, execution } = result
  const message = `Discarded: the turn was interrupted and its results were dropped. ${name} had ended as ${execution.state}.`
  const error = {
    code: 'discarded',
    kind: null,
    type: 'permission-error',
    class: 'StateError',
    message,
    details: { state: execution.state },
    recovery: ['Look at what it did before asking for it again.'],
  } as const
  return { id, name, ok: false, error, content: message, execution }
}

/** If a message made its calls in its text, the results are sent as a user message. */
function buildResults(
  rows: readonly Row[],
  isStub: boolean,
  before: Spoken | undefined,
  protocol: Protocol,
): ModelMessage {
  const isNative =
    protocol === 'native' && before?.role === 'assistant' && before.parts.some(({ type }) => type === 'call')
  if (!isNative) {
    const blocks = rows.map((row) => (isStub && isLong(row.content) ? stub(row) : row.fenced))
    return { role: 'user', text: blocks.join('\n\n') }
  }
  return {
    role: 'tool',
    results: rows.map(({ id, name, content, isError, ...row }) => ({
      id,
      name,
      content: isStub && isLong(content) ? stub({ id, name, content, isError, ...row }) : content,
      isError,
    })),
  }
}

function isLong(content: string): boolean {
  return content.length > STUB_CHARS
}

function stub({ name, isError, content }: Row): string {
  const start = content.slice(0, STUB_CHARS / 3).toWellFormed()
  return `[The result of ${name} was shortened: it ${isError ? 'failed' : 'succeeded'} and had ${content.length} characters, beginning ${JSON.stringify(start)}. Ask again if the rest is needed.]`
}
