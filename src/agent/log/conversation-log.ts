import type { Attachment } from '../../core/attachment/attachment.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { CondensedEntry } from '../../journal/entries/conversation-entry.ts'
import { describeDamage } from '../../journal/entries/damaged-entry.ts'
import type { Digest, Entry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { AssistantPart, ModelClient } from '../../model/model-client.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import { addUsage, NOTHING_USED, readUsage } from '../loop/budget.ts'
import type { Usage } from '../events.ts'
import { environmentNote, readEnvironment } from './environment-note.ts'
import { folderNotesEntry } from './folder-notes.ts'
import type { FolderNotes } from './folder-notes.ts'
import { foldMeasured } from './measured.ts'
import type { Measured } from './measured.ts'
import { addressOf } from './last-model.ts'
import type { ModelAddress } from '../../journal/entries/model-note.ts'
import { foldEntry, emptyTranscript } from './transcript.ts'
import type { Transcript } from './transcript.ts'

/** Reads and writes a conversation in the session log. */
export interface ConversationLog {
  /** Everything said so far. */
  readonly read: () => Transcript
  /** The unreadable parts, each as a sentence. */
  readonly damage: () => readonly string[]
  /** Tokens used in the session, over all turns and models. */
  readonly used: () => Usage
  /** Records the model of the next turn if it changed; true if it did. */
  readonly noteModel: (model: ModelClient) => boolean
  /** The environment in which the conversation began, as it is on record; null if there is none. */
  readonly environment: () => string | null
  /** Records the environment unless one is on record. */
  readonly noteEnvironment: (text: string) => void
  /** Records a message of the user, and what it comes with; content that is null is in the log already. */
  readonly sayUser: (turn: string, text: string, attached?: readonly AttachedContent[]) => void
  readonly sayAssistant: (turn: string, parts: readonly AssistantPart[], model: string) => void
  /** Records that the results of the newest batch were sent to the model. */
  readonly sayResults: (turn: string, model: string) => void
  /** Records notes of folders, which the model is told next. */
  readonly noteFolders: (notes: FolderNotes) => void
  /** Records pieces of a message that is still streaming. */
  readonly draft: (turn: string, parts: readonly AssistantPart[]) => void
  /** Records a complete call of a message that is still streaming. */
  readonly streamCall: (turn: string, call: StreamedCall) => void
  readonly dropDraft: (turn: string, why: string) => void
  /** Records a compaction point; the summary is given as text. */
  readonly condense: (point: NewPoint) => void
  /** Records what a request used; `estimated` is what it was taken to be, if it was one of the conversation's own. */
  readonly spend: (model: string, usage: Usage, estimated?: number) => void
  /** The newest count of a request of the conversation by its provider; null if there is none. */
  readonly measured: () => Measured | null
}

/** Something that comes with a message of the user. */
export interface AttachedContent {
  readonly about: Attachment
  readonly content: Uint8Array | null
}

/** A compaction point that is to be recorded. */
export type NewPoint = Omit<CondensedEntry, 'kind' | 'summary'> & { readonly summary: string | null }

/** A call recorded before its message is complete. */
export interface StreamedCall extends Omit<Extract<AssistantPart, { type: 'call' }>, 'type'> {
  readonly isFenced?: true
}

const utf8 = new TextEncoder()

/** What a conversation reads and writes of a log. */
export type LogOfConversation = Pick<SessionLog, 'entries' | 'append' | 'payload'>

/** Opens the conversation of a session, or one that was delegated in it. */
export function openConversationLog({
  log,
  digest,
  newId,
  lastModel,
  noteModel,
}: Pick<ConversationSource, 'digest' | 'newId' | 'lastModel' | 'noteModel'> & {
  readonly log: LogOfConversation
}): ConversationLog {
  let transcript = emptyTranscript()
  let total: Usage = NOTHING_USED
  let readUpTo = 0
  const damage: string[] = []
  let partner: ModelAddress | null = null
  let environment: string | null = null
  let measured: Measured | null = null

  function read(): Transcript {
    for (const stored of log.entries(readUpTo + 1)) {
      readUpTo = stored.seq
      const damaged = describeDamage(stored.entry)
      if (damaged !== null) damage.push(damaged)
      environment ??= readEnvironment(stored.entry, log.payload)
      transcript = foldEntry(transcript, stored, log.payload)
      measured = foldMeasured(measured, stored.entry)
      if (stored.entry.kind === 'note' && stored.entry.about === 'usage')
        total = addUsage(total, readUsage(stored.entry.data))
    }
    return transcript
  }

  function write(content: readonly string[], entry: (...digests: readonly Digest[]) => Entry): void {
    const payloads = content.map((text) => utf8.encode(text))
    const digests = payloads.map((bytes) => digest(bytes))
    log.append({
      entries: [entry(...digests)],
      payloads: new Map(payloads.map((bytes, index) => [digests[index] ?? '', bytes])),
      reliance: 'recorded',
    })
  }

  function say(turn: string, role: 'assistant' | 'tool', content: string, model: string | null) {
    write([content], (message = '') => ({ kind: 'said', turn, role, message, model }))
  }

  return {
    read,
    damage: () => {
      read()
      return damage
    },
    used: () => {
      read()
      return total
    },
    noteModel: (model) => {
      const now = addressOf(model)
      partner ??= lastModel()
      const isSame = partner?.model === now.model && partner.baseUrl === now.baseUrl
      partner = now
      // Also the same one, which is recorded anew now and then.
      noteModel(now)
      return !isSame
    },
    environment: () => {
      read()
      return environment
    },
    noteEnvironment: (text) => {
      read()
      if (environment !== null) return
      write([text], (at = '') => environmentNote(at))
    },
    sayUser: (turn, text, attached = []) => {
      const message = utf8.encode(text)
      const key = digest(message)
      const entry = { kind: 'said', turn, role: 'user', message: key, model: null } as const
      const contents = attached.flatMap(({ about, content }) =>
        content === null ? [] : [[about.sha256, content] as const],
      )
      log.append({
        entries: [attached.length === 0 ? entry : { ...entry, attached: attached.map(({ about }) => about) }],
        payloads: [[key, message], ...contents],
        reliance: 'recorded',
      })
    },
    sayAssistant: (turn, parts, model) => say(turn, 'assistant', JSON.stringify(parts), model),
    sayResults: (turn, model) => say(turn, 'tool', read().batch?.entry.batch ?? '', model),
    noteFolders: ({ folders, bytes, text }) =>
      write(text === null ? [] : [text], (at) => folderNotesEntry(folders, bytes, at ?? null)),
    draft: (turn, parts) => write([JSON.stringify(parts)], (part = '') => ({ kind: 'drafted', turn, part })),
    streamCall: (turn, { id, name, argsText, metadata, isFenced }) => {
      const sealedMetadata = metadata === undefined ? [] : [JSON.stringify(metadata)]
      write([argsText, ...sealedMetadata], (args = '', sealed) => ({
        kind: 'streamed',
        turn,
        execution: newId(),
        id,
        name,
        args,
        ...(sealed === undefined ? {} : { metadata: sealed }),
        ...(isFenced === true ? { isFenced } : {}),
      }))
    },
    dropDraft: (turn, why) => write([], () => ({ kind: 'voided', turn, why })),
    condense: ({ summary, ...point }) =>
      write(summary === null ? [] : [summary], (at) => ({
        kind: 'condensed',
        ...point,
        summary: at ?? null,
      })),
    measured: () => {
      read()
      return measured
    },
    spend: (model, usage, estimated) =>
      write([], () => ({
        kind: 'note',
        about: 'usage',
        execution: null,
        data: {
          model,
          ...usage,
          ...(estimated === undefined ? {} : { estimated_tokens: estimated }),
        } satisfies JsonObject,
      })),
  }
}
