import { isJsonObject } from '../../core/json/value.ts'
import { ENVIRONMENT } from '../../journal/entries/conversation-entry.ts'
import type { Digest, Entry } from '../../journal/entries/entry.ts'
import type { LogReader } from '../../journal/log.ts'

const utf8 = new TextDecoder()

/** The note that records the environment in which a conversation began. */
export function environmentNote(text: Digest): Entry {
  return { kind: 'note', about: ENVIRONMENT, execution: null, data: { text } }
}

/** The environment that an entry records; null if it is about something else, or was erased. */
export function readEnvironment(entry: Entry, payload: LogReader['payload']): string | null {
  if (entry.kind !== 'note' || entry.about !== ENVIRONMENT || !isJsonObject(entry.data)) return null
  const bytes = payload(String(entry.data['text']))
  return bytes === null ? null : utf8.decode(bytes)
}
