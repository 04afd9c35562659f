import { storedName } from '../../core/web/framed-text.ts'
import type { Attachment } from '../../core/attachment/attachment.ts'
import type { CompactionCause } from '../../journal/entries/conversation-entry.ts'
import type { ModelMessage } from '../../model/model-client.ts'
import type { ConversationLog, NewPoint } from '../log/conversation-log.ts'
import { rowsOf } from '../log/spoken-batch.ts'
import { emptyTranscript } from '../log/transcript.ts'
import type { Condensed } from '../log/condensed.ts'
import type { Spoken, Transcript } from '../log/transcript.ts'
import { NOTHING_USED } from '../loop/budget.ts'
import type { Emit } from '../loop/event-stream.ts'
import type { ScreenEvent, Usage } from '../events.ts'
import { buildMessages } from './build-messages.ts'
import type { HashText } from './build-messages.ts'
import { estimateTokens } from './capacity.ts'
import { readingOf } from './readings.ts'
import { isLong } from './shorten-result.ts'
import { composeSummary, requestSummary } from './summarize.ts'
import type { Asking } from './summarize.ts'

/** The room in the context window, and when to compact. */
export interface ContextRoom {
  /** What a request may use, without the room reserved for its answer. */
  readonly tokens: number
  readonly shrinkAtPercent: number
  readonly keepPercent: number
}

/** What compacting needs. */
export interface Compacting extends Asking {
  readonly log: ConversationLog
  readonly emit: Emit
  /** The size of the next request, for the conversation as it is or would be. */
  readonly sizeOf: (transcript: Transcript) => number
  readonly room: ContextRoom | null
  readonly digest: HashText
  /** Stores a result for `read_file`; false if results are not stored. */
  readonly storeOutput: (execution: string, text: string) => boolean
  readonly cause: CompactionCause
}

/** A compaction point as it is shown. */
export type ShownPoint = Omit<Extract<ScreenEvent, { event: 'shrunk' }>, 'event'>

/** What came of compacting. */
export interface Compaction {
  /** The new compaction point; null if there is none. */
  readonly point: ShownPoint | null
  /** Whether a summary was wanted and the model did not give one. */
  readonly lacksSummary: boolean
  /** What the summary used. */
  readonly usage: Usage
}

/** Whether a request of this size fills more than this percentage of the room. */
export function isFilled({ tokens }: ContextRoom, usedTokens: number, percent: number): boolean {
  return usedTokens > (tokens * percent) / 100
}

/** How much of what was said stays whole, and up to which size no summary is needed, if the window does not decide. */
const KEPT = { asked: 0.2, too_long: 0.3, attached: 1 } as const
const ENOUGH_AFTER_REFUSAL = 0.5
/** The most of the room, or of the size before, that the user's own words may take in a summary. */
const WORDS_SHARE = 0.3

/**
 * Makes room: older results are shortened by what they were, and if that is not enough, or a person asked for it, the
 * model summarizes older messages. It ends in one log entry or in none. Each point frees enough room to be rare,
 * because it invalidates the provider's cache.
 */
export async function compact(compacting: Compacting): Promise<Compaction> {
  const { log, sizeOf, room, cause } = compacting
  const known = log.read()
  const before = sizeOf(known)
  const said = before - sizeOf({ ...known, spoken: [], condensed: emptyTranscript().condensed })
  const seen = seenUpTo(known.spoken, cause)
  const bare: Condensed = { ...known.condensed, attachedUpTo: attachmentsUpTo(known, seen), at: Infinity }
  const old = Math.min(findOldEnd(known.spoken, keptTokens(said, room, cause)), seen)
  // Attachments go first: they take up most, and the model has said what it saw in them.
  const isBareEnough = freesEnough({ known, bare, before }, compacting)
  const upTo = isBareEnough ? known.condensed.stubsUpTo : Math.max(old, known.condensed.stubsUpTo)
  const short: Condensed = { ...bare, stubsUpTo: upTo, isStored: true }
  const shortSize = sizeOf({ ...known, condensed: short })
  const cut = findCut(known.spoken, upTo)
  const wantsSummary = !isBareEnough && cut > short.summaryUpTo && !isEnough(shortSize, before, room, cause)
  const { text, usage } = wantsSummary
    ? await requestSummary(chooseOlder(known, short, cut, cause), compacting)
    : { text: '', usage: NOTHING_USED }
  if (compacting.signal.aborted) return { point: null, lacksSummary: false, usage }
  const summary = text.trim() === '' ? null : composeSummary(text, known, cut, wordsBytes(before, room))
  const after: Condensed = summary === null ? short : { ...short, summaryUpTo: cut, summary }
  const size = sizeOf({ ...known, condensed: after })
  const lacksSummary = wantsSummary && summary === null
  if (size >= before && cause !== 'attached') return { point: null, lacksSummary, usage }
  const isStored = storeShortened(known.spoken, Math.max(upTo, cut), compacting)
  const point: NewPoint = {
    ...(summary === null ? { upTo } : { upTo: cut, resultsUpTo: upTo }),
    summary,
    ...(isStored ? { isStored } : {}),
    ...(bare.attachedUpTo > known.condensed.attachedUpTo ? { attachedUpTo: bare.attachedUpTo } : {}),
    cause,
    before,
    after: size,
  }
  log.condense(point)
  const shown = showPoint(compacting, before)
  compacting.emit({ event: 'shrunk', ...shown })
  return { point: shown, lacksSummary, usage }
}

/** What the model has not seen yet stays whole, or it would ask again for ever; unless it alone is too long. */
function seenUpTo(spoken: readonly Spoken[], cause: CompactionCause): number {
  return cause === 'too_long' || cause === 'attached'
    ? Infinity
    : (spoken.findLast(({ role }) => role === 'assistant')?.seq ?? 0)
}

/** Up to where attachments are left out: all that the model has seen, or what is left out already if there are none. */
function attachmentsUpTo({ spoken, condensed }: Transcript, seen: number): number {
  const last = spoken.findLast((one) => one.seq <= seen && attachedTo(one).length > 0)
  return Math.max(last?.seq ?? 0, condensed.attachedUpTo)
}

function attachedTo(one: Spoken): readonly Attachment[] {
  if (one.role === 'user') return one.attached ?? []
  return one.role === 'results' ? rowsOf(one.batch).flatMap(({ attached }) => attached ?? []) : []
}

/** Whether leaving attachments out is all that is needed. */
function freesEnough(
  { known, bare, before }: { readonly known: Transcript; readonly bare: Condensed; readonly before: number },
  { sizeOf, room, cause }: Compacting,
): boolean {
  if (cause === 'attached') return true
  if (bare.attachedUpTo === known.condensed.attachedUpTo) return false
  return isEnough(sizeOf({ ...known, condensed: bare }), before, room, cause)
}

function keptTokens(said: number, room: ContextRoom | null, cause: CompactionCause): number {
  const most = room === null ? Infinity : (room.tokens * room.keepPercent) / 100
  return cause === 'full' ? most : Math.min(most, said * KEPT[cause])
}

/** If shortening frees little room, the next point would follow soon; a summary postpones it. */
function isEnough(size: number, before: number, room: ContextRoom | null, cause: CompactionCause): boolean {
  if (cause === 'asked') return false
  if (cause === 'too_long') return size <= before * ENOUGH_AFTER_REFUSAL
  return room === null || !isFilled(room, size, (room.shrinkAtPercent + room.keepPercent) / 2)
}

function wordsBytes(before: number, room: ContextRoom | null): number {
  return Math.floor((room?.tokens ?? before) * WORDS_SHARE) * 3
}

/** The messages to summarize, with their results whole where the request will fit. */
function chooseOlder(known: Transcript, short: Condensed, cut: number, cause: CompactionCause): Transcript {
  const spoken = known.spoken.filter(({ seq }) => seq <= cut)
  return { ...known, spoken, asides: [], condensed: cause === 'too_long' ? short : known.condensed }
}

/** Stores what can otherwise not be seen again; files can be read again. */
function storeShortened(
  spoken: readonly Spoken[],
  upTo: number,
  { storeOutput }: Pick<Compacting, 'storeOutput'>,
): boolean {
  const rows = spoken.flatMap((one) => (one.role === 'results' && one.seq <= upTo ? rowsOf(one.batch) : []))
  return rows
    .filter((row) => isLong(row.content) && readingOf(row) === null)
    .every((row) => storeOutput(storedName(row.execution.id, row.content), row.content))
}

function showPoint({ log, sizeOf, digest, cause }: Compacting, before: number): ShownPoint {
  const now = log.read()
  const { stubbedResults, summarizedMessages } = buildMessages(now, 'native', digest)
  return { cause, results: stubbedResults, messages: summarizedMessages, before, after: sizeOf(now) }
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

/**
 * The last position up to `upTo` that does not separate a message from its results and leaves something after it. What a
 * person reverted has the position of the message it came with, so the two stay together.
 */
function findCut(spoken: readonly Spoken[], upTo: number): number {
  const index = spoken.findLastIndex(({ seq }, at) => {
    const next = spoken[at + 1]
    return seq <= upTo && next !== undefined && next.role !== 'results' && next.seq > seq
  })
  return spoken[index]?.seq ?? 0
}
