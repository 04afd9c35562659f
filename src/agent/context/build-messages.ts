import { once } from '../../core/memoize.ts'
import type { ToolResult } from '../../core/result.ts'
import { BROKEN_OFF } from '../../model/model-client.ts'
import type { AnsweredCall, AssistantPart, ModelMessage } from '../../model/model-client.ts'
import { formatFencedCall, formatFencedResult, formatFencedShort } from '../../wire/fenced.ts'
import type { Protocol } from '../loop/read-calls.ts'
import { joinOwnRows, rowsOf } from '../log/spoken-batch.ts'
import { asideMessages } from '../log/transcript.ts'
import type { Condensed } from '../log/condensed.ts'
import type { Spoken, Transcript } from '../log/transcript.ts'
import { wordsFor } from './left-out.ts'
import { findReplaced } from './readings.ts'
import { shortenResult } from './shorten-result.ts'

/** A conversation in the form that is sent to a model. */
export interface BuiltMessages {
  readonly messages: readonly ModelMessage[]
  /** How many of the model's own messages the summary replaces. */
  readonly leftOut: number
  readonly stubbedResults: number
  readonly summarizedMessages: number
}

type Said = Extract<Spoken, { role: 'assistant' }>

/** Makes the SHA-256 of a text. */
export type HashText = (text: string) => string

/** A message that was built, and what it was built from besides what was said. */
interface Made {
  readonly condensed: Condensed
  readonly before: Spoken | undefined
  readonly isAnswered: boolean
  readonly message: ModelMessage
  readonly stubbedResults: number
}

/** Builds messages with one protocol. What was built before is not built again: each request needs all of it, several times. */
export type MessageBuilder = (transcript: Transcript) => BuiltMessages

/** Creates it. */
export function createMessageBuilder(protocol: Protocol, digest: HashText): MessageBuilder {
  const made = new WeakMap<Spoken, Made>()
  return (transcript) => buildMessages(transcript, protocol, digest, made)
}

/**
 * Builds the messages to send. The same log always gives the same messages, and between two compaction points more of it
 * only adds to their end, so that a longer conversation starts with the cached part.
 */
export function buildMessages(
  transcript: Transcript,
  protocol: Protocol,
  digest: HashText,
  made: WeakMap<Spoken, Made> = new WeakMap(),
): BuiltMessages {
  const { spoken, condensed } = transcript
  const { summaryUpTo, summary } = condensed
  const shorten = createShortener(transcript, digest)
  const said = spoken.filter(({ seq }) => seq > summaryUpTo)
  // What is told beside comes last; once something is said, the log puts it at the same place.
  const recent = [...said, ...(transcript.isAnswered ? asideMessages(transcript, Infinity) : [])]
  const messages: ModelMessage[] = []
  let stubbedResults = 0
  if (summaryUpTo > 0) messages.push({ role: 'user', text: introduceSummary(summary) })
  for (const [index, one] of recent.entries()) {
    const before = recent[index - 1]
    const isAnswered = recent[index + 1]?.role === 'results'
    const known = made.get(one)
    const isSame =
      known?.condensed === condensed && known.before === before && known.isAnswered === isAnswered
    const built = isSame ? known : build(one, { condensed, before, isAnswered }, shorten, protocol)
    if (!isSame) made.set(one, built)
    messages.push(built.message)
    stubbedResults += built.stubbedResults
  }
  const leftOut = spoken.filter(({ seq, role }) => seq <= summaryUpTo && role === 'assistant').length
  return {
    messages,
    leftOut,
    stubbedResults,
    summarizedMessages: spoken.length - said.length,
  }
}

function build(
  one: Spoken,
  around: Pick<Made, 'condensed' | 'before' | 'isAnswered'>,
  shorten: Shorten,
  protocol: Protocol,
): Made {
  const { condensed, before, isAnswered } = around
  if (one.role === 'user') return { ...around, message: buildUser(one, condensed), stubbedResults: 0 }
  if (one.role === 'assistant')
    return { ...around, message: buildAssistant(one, isAnswered, protocol), stubbedResults: 0 }
  const speaker = before?.role === 'assistant' ? before : null
  const rows = answersOf(one, speaker, shorten).map((row) => leaveOut(row, one.seq, condensed))
  return {
    ...around,
    message: buildResults(rows, before, protocol),
    stubbedResults: rows.filter(({ isShort }) => isShort).length,
  }
}

/** A message without its position in the log, which means nothing outside. */
function buildUser(
  { text, seq, attached }: Extract<Spoken, { role: 'user' }>,
  condensed: Condensed,
): ModelMessage {
  if (attached === undefined) return { role: 'user', text }
  const words = wordsFor(attached, seq, condensed)
  return words === null ? { role: 'user', text, attached } : { role: 'user', text: `${text}\n\n${words}` }
}

/** A result whose attachments are left out says what they were. */
function leaveOut(row: Row, seq: number, condensed: Condensed): Row {
  const { attached, ...rest } = row
  const words = attached === undefined ? null : wordsFor(attached, seq, condensed)
  if (words === null) return row
  return { ...rest, content: `${row.content}\n${words}`, fenced: () => `${row.fenced()}\n${words}` }
}

function introduceSummary(summary: string): string {
  return `The earlier conversation is left out here. A summary of it:\n\n${summary}`
}

/** Leaves out calls without results, because no provider accepts them. */
function buildAssistant(said: Said, isAnswered: boolean, protocol: Protocol): ModelMessage {
  const parts = said.parts.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'call') return [part]
    if (!isAnswered) return []
    if (protocol === 'native') return [part]
    return [{ type: 'text', text: `\n${formatFencedCall(part.id, part.name, part.argsText)}\n` }]
  })
  const isCut = said.isBroken && !isAnswered
  return { role: 'assistant', parts: isCut ? [...parts, { type: 'text', text: BROKEN_OFF }] : parts }
}

type Told = Extract<Spoken, { role: 'results' }>
/** The shorter text of a result that is shortened; null for one that is not. */
type Shorten = (result: ToolResult, seq: number) => string | null

/** Shortens the results that the last compaction point covers: all old ones, and newer readings that were read again. */
function createShortener({ spoken, condensed }: Transcript, digest: HashText): Shorten {
  const { stubsUpTo, at, isStored } = condensed
  if (at === 0) return () => null
  const replaced = once(() => findReplaced(spoken, at))
  return (result, seq) => {
    const isReplaced = seq < at && replaced().has(result.execution.id)
    if (seq > stubsUpTo && !isReplaced) return null
    const short = shortenResult(result, { isStored, isReplaced, digest })
    return short === result.content ? null : short
  }
}

interface Row extends AnsweredCall {
  /** Written only if it is sent: it holds the whole result as JSON. */
  readonly fenced: () => string
  readonly isShort: boolean
}

/** The results of a batch in call order, with the ids that the message used. */
function answersOf({ batch, seq }: Told, said: Said | null, shorten: Shorten): readonly Row[] {
  const ids = said?.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) ?? []
  const rows = joinOwnRows(rowsOf(batch))
  return rows.map((row): Row => {
    const place = batch.entry.calls.findIndex(({ execution }) => execution === row.execution.id)
    const result = batch.recovered === 'discard' ? discarded(row) : row
    const short = shorten(result, seq)
    return {
      id: ids[place] ?? row.id,
      name: row.name,
      content: short ?? result.content,
      isError: !result.ok,
      fenced: () => (short === null ? formatFencedResult(result) : formatFencedShort(result, short)),
      isShort: short !== null,
      ...(result.attached === undefined ? {} : { attached: result.attached }),
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
function buildResults(rows: readonly Row[], before: Spoken | undefined, protocol: Protocol): ModelMessage {
  const isNative =
    protocol === 'native' && before?.role === 'assistant' && before.parts.some(({ type }) => type === 'call')
  const all = rows.flatMap(({ attached = [] }) => attached)
  if (!isNative) {
    const text = rows.map(({ fenced }) => fenced()).join('\n\n')
    return { role: 'user', text, ...(all.length === 0 ? {} : { attached: all }) }
  }
  const results = rows.map(({ fenced: _fenced, isShort: _isShort, ...row }) => row)
  return { role: 'tool', results }
}
