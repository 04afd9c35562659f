import type { Attachment } from '../../core/attachment/attachment.ts'
import { describeBackgroundEnd } from '../../core/shell/background.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import { readBackgroundNote } from '../../journal/entries/background-note.ts'
import type { BackgroundNote } from '../../journal/entries/background-note.ts'
import type { CondensedEntry, SaidEntry } from '../../journal/entries/conversation-entry.ts'
import type { BatchEntry, RevertedEntry, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { AssistantPart } from '../../model/model-client.ts'
import { ERASED, joinParts, readParts, readJson } from '../context/message-parts.ts'
import { foldCondensed, NOT_CONDENSED } from './condensed.ts'
import type { Condensed } from './condensed.ts'
import { readCopied } from './copied-results.ts'
import { introduceNotes, readFolderNotes } from './folder-notes.ts'
import type { FolderNotes, ToldNotes } from './folder-notes.ts'
import { beginBatch, foldIntoBatch } from './spoken-batch.ts'
import type { SpokenBatch } from './spoken-batch.ts'

/** A message or its results, with the position in the log. */
export type Spoken =
  | {
      readonly role: 'user'
      readonly seq: number
      readonly turn: string
      readonly text: string
      /** What came with it. */
      readonly attached?: readonly Attachment[]
      /** Set if it holds notes of a folder, which no person said. */
      readonly notes?: FolderNotes
      /** Set if it says what happened beside, which no person said either. */
      readonly isTold?: true
    }
  | {
      readonly role: 'assistant'
      readonly seq: number
      readonly turn: string
      readonly parts: readonly AssistantPart[]
      /** Set if the message never completed. */
      readonly isBroken: boolean
    }
  | { readonly role: 'results'; readonly seq: number; readonly turn: string; readonly batch: SpokenBatch }

/** What has arrived of an incomplete message. */
export interface Draft {
  readonly turn: string
  readonly parts: readonly AssistantPart[]
}

/** A compaction point and its place among the messages. */
export interface CompactionPoint {
  readonly entry: CondensedEntry
  readonly after: number
}

/** A conversation folded from its log. Each entry gives the next value; the list of messages only grows. */
export interface Transcript {
  readonly spoken: Spoken[]
  readonly draft: Draft | null
  /** The newest batch of the model, and whether its results were sent to it. */
  readonly batch: SpokenBatch | null
  readonly isAnswered: boolean
  /** How many rounds the newest turn has had. */
  readonly rounds: number
  readonly turn: string | null
  readonly condensed: Condensed
  /** The compaction points so far, each with how many messages came before it. */
  readonly points: readonly CompactionPoint[]
  /** Calls of the model, so that reverting them can be told apart from reverting a person's own. */
  readonly ownCalls: Set<string>
  /** What else the model is told with its next message: what happened beside, and notes of folders that it works in. */
  readonly asides: readonly Aside[]
  /** The commands in the background that have no end on record, by their calls. */
  readonly background: ReadonlyMap<string, string>
  /** The notes of folders so far. */
  readonly told: readonly ToldNotes[]
}

/** Something that no one said and the model is told. */
type Aside = { readonly happened: string } | { readonly notes: FolderNotes }

/** A conversation without messages. */
export function emptyTranscript(): Transcript {
  return {
    spoken: [],
    draft: null,
    batch: null,
    isAnswered: true,
    rounds: 0,
    turn: null,
    condensed: NOT_CONDENSED,
    points: [],
    ownCalls: new Set(),
    asides: [],
    told: [],
    background: new Map(),
  }
}

const utf8 = new TextDecoder()
const MOST_NAMED = 20
const SHOWN_COMMAND_CHARS = 80

/** The conversation after one more log entry. */
export function foldEntry(
  known: Transcript,
  { seq, entry }: Pick<StoredEntry, 'seq' | 'entry'>,
  payload: SessionLog['payload'],
): Transcript {
  switch (entry.kind) {
    case 'said':
      return foldSaid(known, seq, entry, payload)
    case 'drafted':
      return withDraft(known, entry.turn, readParts(payload(entry.part)) ?? [])
    case 'streamed': {
      const metadata = entry.metadata === undefined ? null : payload(entry.metadata)
      const args = payload(entry.args)
      const call: AssistantPart = {
        type: 'call',
        id: entry.id,
        name: entry.name,
        argsText: args === null ? '{}' : utf8.decode(args),
        ...(metadata === null ? {} : { metadata: readJson(metadata) }),
      }
      return withDraft(known, entry.turn, entry.isFenced === true ? [] : [call])
    }
    case 'voided':
      return { ...known, draft: null }
    case 'condensed':
      return {
        ...known,
        condensed: foldCondensed(known.condensed, seq, entry, payload),
        points: [...known.points, { entry, after: known.spoken.length }],
      }
    case 'batch': {
      if (entry.delegate !== undefined) {
        // What a delegated conversation did is taken back from this one too.
        for (const { execution } of entry.calls) known.ownCalls.add(execution)
        return known
      }
      if (entry.origin !== 'model') return { ...known, batch: foldIntoBatch(known.batch, entry, payload) }
      const flushed = closeDraft(known, seq, entry)
      for (const { execution } of entry.calls) flushed.ownCalls.add(execution)
      return { ...flushed, batch: beginBatch(entry), isAnswered: false, rounds: flushed.rounds + 1 }
    }
    case 'undo':
    case 'redo': {
      const folded = { ...known, batch: foldIntoBatch(known.batch, entry, payload) }
      // A roll-back belongs to the result of its call.
      return entry.rollsBack === undefined && entry.calls.some((call) => known.ownCalls.has(call))
        ? { ...folded, asides: [...known.asides, { happened: describeRevert(entry) }] }
        : folded
    }
    case 'note': {
      const notes = readFolderNotes(entry, payload)
      if (notes === null) return foldBackground(known, readBackgroundNote(entry), payload)
      const asides = notes.text === null ? known.asides : [...known.asides, { notes }]
      return { ...known, asides, told: [...known.told, { ...notes, seq }] }
    }
    case 'settled':
    case 'recovered':
      return { ...known, batch: foldIntoBatch(known.batch, entry, payload) }
    case 'asked':
    case 'answered':
    case 'continued':
    case 'started':
    case 'landing':
    case 'held':
    case 'parked':
    case 'delegated':
    case 'forgotten':
    case 'opened':
    case 'titled':
      return known
  }
}

function foldSaid(
  known: Transcript,
  seq: number,
  { role, turn, message, results, attached, isTold }: SaidEntry,
  payload: SessionLog['payload'],
): Transcript {
  const bytes = payload(message)
  if (role === 'assistant') {
    const parts = bytes === null ? [{ type: 'text', text: ERASED } as const] : (readParts(bytes) ?? [])
    const told = tellAsides(known, seq, turn)
    told.spoken.push({ role, seq, turn, parts, isBroken: false })
    return { ...told, draft: null, turn }
  }
  const flushed = closeDraft(known, seq)
  if (role === 'tool') {
    const batch = results === undefined ? flushed.batch : readCopied(payload(results), turn)
    if (batch !== null) flushed.spoken.push({ role: 'results', seq, turn, batch })
    return { ...tellAsides(flushed, seq, turn), isAnswered: true }
  }
  const told = tellAsides(flushed, seq, turn)
  const text = bytes === null ? ERASED : utf8.decode(bytes)
  const rounds = known.turn === turn ? known.rounds : 0
  told.spoken.push({
    role,
    seq,
    turn,
    text,
    ...(attached === undefined ? {} : { attached }),
    ...(isTold === undefined ? {} : { isTold }),
  })
  return { ...told, turn, rounds }
}

/** The model is told when a command that it left in the background has ended, unless it stopped it itself. */
function foldBackground(
  known: Transcript,
  note: BackgroundNote | null,
  payload: SessionLog['payload'],
): Transcript {
  if (note === null) return known
  const background = new Map(known.background)
  if (note.is === 'started') {
    const words = payload(note.words)
    return {
      ...known,
      background: background.set(note.execution, words === null ? ERASED : utf8.decode(words)),
    }
  }
  const command = background.get(note.execution)
  background.delete(note.execution)
  const isTold = command !== undefined && note.end.how !== 'stopped' && note.end.how !== 'failed'
  const says = `[The command in the background ${note.execution} (${toJsonLine(ellipsis(command ?? '', SHOWN_COMMAND_CHARS))}) ${describeBackgroundEnd(note.end)}.]`
  return { ...known, background, asides: isTold ? [...known.asides, { happened: says }] : known.asides }
}

/** What the model is told of a person's undo or redo. */
function describeRevert({ kind, changes, outside }: RevertedEntry): string {
  if (outside !== undefined)
    return `[The user had ${outside} take back what a call of it did. Do not repeat it unasked.]`
  const files = [...new Set(changes.map(({ path }) => path))]
  const named = files.slice(0, MOST_NAMED).map(showPath).join(', ')
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''
  return kind === 'undo'
    ? `[The user took back edits of yours: ${named}${more}. Read what you still need, and do not repeat them unasked.]`
    : `[The user brought edits of yours back: ${named}${more}. They are in place again.]`
}

/** The same as messages, if there are any and no results are owed before them; what happened together is one. */
export function asideMessages({ asides, turn }: Transcript, seq: number): readonly Spoken[] {
  const messages: Extract<Spoken, { role: 'user' }>[] = []
  for (const aside of asides) {
    const last = messages.at(-1)
    if ('notes' in aside) {
      const { notes } = aside
      messages.push({ role: 'user', seq, turn: turn ?? '', text: introduceNotes(notes.text ?? ''), notes })
    } else if (last === undefined || last.notes !== undefined)
      messages.push({ role: 'user', seq, turn: turn ?? '', text: aside.happened, isTold: true })
    else messages[messages.length - 1] = { ...last, text: `${last.text}\n${aside.happened}` }
  }
  return messages
}

function tellAsides(known: Transcript, seq: number, turn: string): Transcript {
  if (known.asides.length === 0) return known
  known.spoken.push(...asideMessages({ ...known, turn }, seq))
  return { ...known, asides: [] }
}

/** An incomplete message counts as said once something follows it; its calls only if they became a batch. */
function closeDraft(known: Transcript, seq: number, batch?: BatchEntry): Transcript {
  const { draft } = known
  if (draft === null) return known
  const included = batch === undefined ? draft.parts.filter(({ type }) => type !== 'call') : draft.parts
  const parts = joinParts(included)
  const told = tellAsides(known, seq, draft.turn)
  if (parts.some(({ type }) => type !== 'reasoning'))
    told.spoken.push({ role: 'assistant', seq, turn: draft.turn, parts, isBroken: true })
  return { ...told, draft: null }
}

function withDraft(known: Transcript, turn: string, pieces: readonly AssistantPart[]): Transcript {
  return { ...known, draft: { turn, parts: [...(known.draft?.parts ?? []), ...pieces] } }
}
