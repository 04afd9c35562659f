import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { ERASED, readJson, readParts } from '../../agent/context/message-parts.ts'
import { readCopiedRows } from '../../agent/log/copied-results.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { SaidEntry } from '../../journal/entries/conversation-entry.ts'
import type { Digest, Entry } from '../../journal/entries/entry.ts'
import { readStored } from '../../journal/folds/read-result.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import { aside } from './questions/verbatim.ts'
import { announceCall } from './turns/announce-call.ts'
import type { CallFacts } from './turns/describe-call.ts'
import { resultUpdate } from './turns/result-update.ts'

type Source = Pick<ConversationSource, 'log' | 'contentOf'>

/** Everything that was said and done in a session, oldest first, as a client is told of it. */
export function* replay(source: Source, facts: CallFacts): Generator<SessionUpdate> {
  const ids = new Map<string, string>()
  for (const { entry } of source.log.entries(1)) yield* updatesOf(entry, source, facts, ids)
}

function* updatesOf(
  entry: Entry,
  source: Source,
  facts: CallFacts,
  ids: Map<string, string>,
): Generator<SessionUpdate> {
  switch (entry.kind) {
    case 'said':
      yield* saidUpdates(entry, source, facts)
      return
    case 'batch':
      for (const { execution, id, name, args } of entry.calls) {
        ids.set(execution, id)
        const delegate = entry.delegate === undefined ? {} : { delegate: { execution: entry.delegate } }
        yield announceCall({ execution, id, name, args: readObject(args, source), ...delegate }, facts)
      }
      return
    case 'settled': {
      const id = ids.get(entry.execution)
      const result =
        id === undefined ? null : readStored(entry, [{ execution: entry.execution, id }], source.log.payload)
      if (result !== null) yield resultUpdate(result, source, facts)
      return
    }
    case 'undo':
    case 'redo': {
      if (entry.rollsBack !== undefined || entry.changes.length === 0) return
      const files = entry.changes.map(({ path }) => showPath(path)).join(', ')
      const done = aside(`${entry.kind === 'undo' ? 'Undone' : 'Redone'}: ${files}`)
      yield chunk('agent_message_chunk', `\n\n${done}\n\n`)
      return
    }
    default:
      return
  }
}

function* saidUpdates(
  { role, message, results }: SaidEntry,
  source: Source,
  facts: CallFacts,
): Generator<SessionUpdate> {
  const { payload } = source.log
  if (role === 'tool') {
    // Results that a fork has copied from another session.
    if (results === undefined) return
    for (const { result, args } of readCopiedRows(payload(results))) {
      const { id, name, execution } = result
      yield announceCall({ execution: execution.id, id, name, args: args ?? {} }, facts)
      yield resultUpdate(result, source, facts)
    }
    return
  }
  const bytes = payload(message)
  if (role === 'user') {
    yield chunk('user_message_chunk', bytes === null ? ERASED : new TextDecoder().decode(bytes))
    return
  }
  const parts = readParts(bytes)
  if (parts === null) yield chunk('agent_message_chunk', ERASED)
  for (const part of parts ?? []) {
    if (part.type === 'call' || part.text === '') continue
    yield chunk(part.type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', part.text)
  }
}

function chunk(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } }
}

function readObject(digest: Digest, { log }: Source): JsonObject {
  const value = readJson(log.payload(digest))
  return isJsonObject(value) ? value : {}
}
