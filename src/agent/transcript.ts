import { isJsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/result.ts'
import type { BatchEntry, Digest, Entry, StoredEntry } from '../journal/entry.ts'
import type { SessionLog } from '../journal/log.ts'
import type { AssistantPart, ModelMessage } from '../model/model-client.ts'

/** What a conversation needs of its session. */
export interface ConversationHouse {
  readonly log: SessionLog
  readonly digest: (bytes: Uint8Array) => Digest
  readonly newId: () => string
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
}

/** Calls of the last message that the model has not been answered yet. */
export interface OpenCalls {
  readonly turn: string
  readonly results: readonly ToolResult[]
  /** Whether every call has a result. */
  readonly isComplete: boolean
}

/** The conversation of a session, read off its log. */
export interface Transcript {
  readonly messages: () => readonly ModelMessage[]
  readonly say: (turn: string, message: ModelMessage, model: string | null) => void
  /** Writes a call down while its message is still coming in. */
  readonly stream: (turn: string, part: Extract<AssistantPart, { type: 'call' }>) => void
  readonly openCalls: () => OpenCalls | null
}

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Opens the conversation of a session. */
export function openTranscript({ log, digest }: ConversationHouse): Transcript {
  const write = (entry: (at: Digest) => Entry, content: string): void => {
    const bytes = utf8.encode(content)
    const at = digest(bytes)
    log.append({ entries: [entry(at)], payloads: new Map([[at, bytes]]), reliance: 'recorded' })
  }
  return {
    messages: () => readMessages(log.entries(), log),
    say: (turn, message, model) =>
      write(
        (at) => ({ kind: 'said', turn, role: message.role, message: at, model }),
        JSON.stringify(message),
      ),
    stream: (turn, { id, name, argsText }) =>
      write((at) => ({ kind: 'streamed', turn, id, name, args: at }), argsText),
    openCalls: () => findOpenCalls([...log.entries()], log),
  }
}

function readMessages(entries: Iterable<StoredEntry>, log: SessionLog): readonly ModelMessage[] {
  const messages: ModelMessage[] = []
  for (const { entry } of entries) {
    if (entry.kind !== 'said') continue
    const bytes = log.payload(entry.message)
    if (bytes !== null) messages.push(JSON.parse(text.decode(bytes)) as ModelMessage)
    else if (entry.role === 'user') messages.push({ role: 'user', text: '[this message was erased]' })
  }
  return messages
}

/** The results of the batch that followed the last message, if that message is still without its answer. */
function findOpenCalls(entries: readonly StoredEntry[], log: SessionLog): OpenCalls | null {
  const last = entries.findLastIndex(({ entry }) => entry.kind === 'said')
  const said = entries[last]?.entry
  if (said?.kind !== 'said' || said.role !== 'assistant') return null
  const after = entries.slice(last + 1)
  const batch = after.find(({ entry }) => entry.kind === 'batch' && entry.turn === said.turn)?.entry as
    | BatchEntry
    | undefined
  if (batch === undefined) return null
  const found = new Map<string, ToolResult>()
  for (const { entry } of after) {
    if (entry.kind !== 'settled' || entry.batch !== batch.batch) continue
    const bytes = log.payload(entry.result)
    const value: unknown = bytes === null ? null : JSON.parse(text.decode(bytes))
    if (isJsonObject(value)) found.set(entry.execution, value as unknown as ToolResult)
  }
  const results = batch.calls.flatMap(({ execution }) => found.get(execution) ?? [])
  return { turn: said.turn, results, isComplete: results.length === batch.calls.length }
}
