import { storedName } from '../../core/web/framed-text.ts'
import type { Entry } from '../../journal/entries/entry.ts'
import type { CondensedEntry, SaidEntry } from '../../journal/entries/conversation-entry.ts'
import type { LogReader } from '../../journal/log.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { ERASED, textOf } from '../context/message-parts.ts'
import { readingOf } from '../context/readings.ts'
import { isLong } from '../context/shorten-result.ts'
import { formatCopied } from '../log/copied-results.ts'
import { environmentNote, readEnvironment } from '../log/environment-note.ts'
import { folderNotesEntry } from '../log/folder-notes.ts'
import { carryMeasured, foldMeasured, FORKED } from '../log/measured.ts'
import type { Measured } from '../log/measured.ts'
import { rowsOf } from '../log/spoken-batch.ts'
import type { SpokenBatch } from '../log/spoken-batch.ts'
import { emptyTranscript, foldEntry } from '../log/transcript.ts'
import type { Spoken } from '../log/transcript.ts'
import { formatTitle, readTitle } from './title.ts'

/** A message that a fork can end with. */
export interface ForkPlace {
  /** Counted from 1, over the messages of the user and the model. */
  readonly number: number
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** How to fork. */
export interface ForkWish {
  /** The number of a message, or a call by its id or a unique prefix of it; all messages if absent. */
  readonly at?: string
  /** The name of the new session; one that sorts by time if absent. */
  readonly as?: string
}

/** What came of a fork. */
export type ForkReport =
  | {
      readonly ok: true
      readonly session: string
      readonly messages: number
      /** Why it does not have the preset that was chosen; null if it does. */
      readonly doubt: string | null
    }
  | { readonly ok: false; readonly why: string }

/** The messages of a session, oldest first. */
export function listMessages(log: Pick<LogReader, 'entries' | 'payload'>): readonly ForkPlace[] {
  return readConversation(log)
    .transcript.spoken.filter((one) => isMessage(one))
    .map((one, index) => ({
      number: index + 1,
      role: one.role,
      text: one.role === 'user' ? one.text : textOf(one.parts),
    }))
}

/**
 * Copies the messages of a session into a new one, up to a message or the results of a call. Files stay as they are, the
 * copy has read none of them, and its undo reaches only calls of its own.
 */
export async function forkSession(runtime: Runtime, from: string, { at, as }: ForkWish): Promise<ForkReport> {
  const parent = runtime.peek(from)
  const { transcript, measured, environment } = readConversation(parent)
  const { spoken, points } = transcript
  if (spoken.length === 0) return { ok: false, why: `nothing was said in session ${from}` }
  const end = at === undefined ? spoken.length : findEnd(spoken, at)
  if (typeof end === 'string') return { ok: false, why: end }
  const copied = dropUnanswered(spoken.slice(0, end))
  if (copied.length === 0) return { ok: false, why: 'the first message has no results yet' }
  const [existing] = as === undefined ? [] : runtime.peek(as).entries()
  if (existing !== undefined) return { ok: false, why: `session ${String(as)} exists already` }
  if (as !== undefined) await runtime.claim(as)
  const session = as ?? (await runtime.begin())
  const { log, digest, noteModel, noteOpened, storeOutput } = await runtime.converse(session)
  const { model, preset, doubt } = runtime.goOnWith(from)
  const data = { from, messages: copied.length, ...carryMeasured(measured) }
  const entries: Entry[] = [{ kind: 'note', about: FORKED, execution: null, data }]
  const payloads = new Map<string, Uint8Array>()
  const keep = (text: string): string => {
    const bytes = new TextEncoder().encode(text)
    const name = digest(bytes)
    payloads.set(name, bytes)
    return name
  }
  if (environment !== null) entries.push(environmentNote(keep(environment)))
  const first = log.latestSeq() + 1
  const places: Place[] = []
  for (const [index, one] of copied.entries()) {
    places.push({ from: one.seq, to: first + entries.length })
    entries.push(copyOf(one, copied[index - 1], model?.model ?? null, keep))
    for (const { entry, after } of points)
      if (after === index + 1) entries.push(copyPoint(entry, places, parent.payload, keep))
  }
  const title = readTitle(parent)
  if (title !== null)
    entries.push({ kind: 'titled', title: keep(formatTitle(`${title} (fork)`)), actor: null })
  log.append({ entries, payloads, reliance: 'durable' })
  if (points.some(({ after }) => after <= copied.length))
    for (const row of copied.flatMap((one) => (one.role === 'results' ? rowsOf(one.batch) : [])))
      if (isLong(row.content) && readingOf(row) === null)
        storeOutput(storedName(row.execution.id, row.content), row.content)
  if (preset !== null) noteOpened('run', preset)
  if (model !== null) noteModel(model)
  return { ok: true, session, messages: copied.filter(isMessage).length, doubt }
}

function readConversation({ entries, payload }: Pick<LogReader, 'entries' | 'payload'>) {
  let transcript = emptyTranscript()
  let measured: Measured | null = null
  let environment: string | null = null
  for (const stored of entries()) {
    transcript = foldEntry(transcript, stored, payload)
    measured = foldMeasured(measured, stored.entry)
    environment ??= readEnvironment(stored.entry, payload)
  }
  return { transcript, measured, environment }
}

/** Whether a person or the model said it. */
function isMessage(one: Spoken): one is Exclude<Spoken, { role: 'results' }> {
  return one.role === 'assistant' || (one.role === 'user' && one.notes === undefined)
}

/** Where a message was in the log of the original, and where it is in that of the copy. */
interface Place {
  readonly from: number
  readonly to: number
}

/** A compaction point comes along, so that the copy sends what the original sent. */
function copyPoint(
  { upTo, summary, resultsUpTo, attachedUpTo, ...rest }: CondensedEntry,
  places: readonly Place[],
  payload: LogReader['payload'],
  keep: (text: string) => string,
): CondensedEntry {
  const placeOf = (seq: number): number => places.findLast(({ from }) => from <= seq)?.to ?? 0
  const bytes = summary === null ? null : payload(summary)
  return {
    ...rest,
    upTo: placeOf(upTo),
    summary: summary === null ? null : keep(bytes === null ? ERASED : new TextDecoder().decode(bytes)),
    ...(resultsUpTo === undefined ? {} : { resultsUpTo: placeOf(resultsUpTo) }),
    ...(attachedUpTo === undefined ? {} : { attachedUpTo: placeOf(attachedUpTo) }),
  }
}

/** Where a copy ends, as an index after the last message; or why there is no such place. */
function findEnd(spoken: readonly Spoken[], at: string): number | string {
  // Ids of calls begin with 0, and will for the next ten thousand years.
  if (/^[1-9]\d*$/.test(at)) {
    let number = 0
    for (const [index, one] of spoken.entries()) {
      if (isMessage(one)) number++
      if (number === Number(at)) return spoken[index + 1]?.role === 'results' ? index + 2 : index + 1
    }
    return `there is no message ${at}; the session has ${number}`
  }
  const found = spoken.flatMap((one, index) =>
    one.role === 'results'
      ? one.batch.entry.calls
          .filter(({ execution }) => execution.startsWith(at))
          .map(({ execution }) => ({ execution, index }))
      : [],
  )
  const [first, ...others] = found
  if (first === undefined) return `no call of the session begins with ${at}, or it has no result yet`
  const exact = found.find(({ execution }) => execution === at)
  if (others.length > 0 && exact === undefined)
    return `${at} could be ${found.map(({ execution }) => execution).join(', ')}`
  return (exact ?? first).index + 1
}

/** What came with the results; the copy needs the same bytes, so it names them too. */
function attachedTo(batch: SpokenBatch): Partial<Pick<SaidEntry, 'attached'>> {
  const attached = rowsOf(batch).flatMap((row) => row.attached ?? [])
  return attached.length === 0 ? {} : { attached }
}

/** A message whose calls have no results yet cannot be copied: no model accepts one. */
function dropUnanswered(spoken: readonly Spoken[]): readonly Spoken[] {
  const last = spoken.at(-1)
  const isOpen = last?.role === 'assistant' && last.parts.some(({ type }) => type === 'call')
  return isOpen ? spoken.slice(0, -1) : spoken
}

function copyOf(
  one: Spoken,
  before: Spoken | undefined,
  model: string | null,
  keep: (text: string) => string,
): Entry {
  const { turn } = one
  if (one.role === 'user' && one.notes !== undefined) {
    const { folders, bytes, text } = one.notes
    return folderNotesEntry(folders, bytes, text === null ? null : keep(text))
  }
  if (one.role === 'user') {
    const attached = one.attached === undefined ? {} : { attached: one.attached }
    const told = one.isTold === undefined ? {} : { isTold: one.isTold }
    return { kind: 'said', turn, role: 'user', message: keep(one.text), model: null, ...attached, ...told }
  }
  if (one.role === 'assistant')
    return { kind: 'said', turn, role: 'assistant', message: keep(JSON.stringify(one.parts)), model }
  const parts = before?.role === 'assistant' ? before.parts : []
  return {
    kind: 'said',
    turn,
    role: 'tool',
    message: keep(''),
    model,
    results: keep(formatCopied(one.batch, parts)),
    ...attachedTo(one.batch),
  }
}
