import { isJsonObject } from '../../core/json/value.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import type { Entry, StoredEntry } from '../../journal/entries/entry.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'
import type { ModelClient } from '../../model/model-client.ts'

/** A model and its server; null is the provider's own. */
export interface ModelAddress {
  readonly model: string
  readonly baseUrl: string | null
}

const ABOUT = 'model'

/** The model that a note records; null if the entry is not such a note. */
function readModelNote(entry: Entry): ModelAddress | null {
  if (entry.kind !== 'note' || entry.about !== ABOUT || !isJsonObject(entry.data)) return null
  const { model, base_url: baseUrl } = entry.data
  return typeof model === 'string' ? { model, baseUrl: typeof baseUrl === 'string' ? baseUrl : null } : null
}

/** The note that records the model of a session. It never contains keys, nor a URL that may contain one. */
export function modelNote({ model, baseUrl }: ModelAddress): Entry {
  return { kind: 'note', about: ABOUT, execution: null, data: { model, base_url: baseUrl } }
}

/** The model and server of a client, as far as they may be recorded. */
export function addressOf({ id, baseUrl = '' }: ModelClient): ModelAddress {
  const isPlain = baseUrl !== '' && !/[?#@]/.test(baseUrl) && redactForApproval(baseUrl) === baseUrl
  return { model: id, baseUrl: isPlain ? baseUrl : null }
}

/** The model of a session after an entry. */
export function foldLastModel(before: ModelAddress | null, entry: Entry): ModelAddress | null {
  const said = entry.kind === 'said' ? entry.model : null
  if (said !== null && said !== before?.model) return { model: said, baseUrl: null }
  return readModelNote(entry) ?? before
}

/** The last model of a session, searched from the end of the log; null if there was none. */
export function findLastModel({ newestFirst }: Pick<LogReader, 'newestFirst'>): ModelAddress | null {
  const said = first(newestFirst('said'), ({ entry }) => foldLastModel(null, entry))
  const noted = first(newestFirst('note'), ({ entry }) => readModelNote(entry))
  if (said === null || noted === null) return said?.found ?? noted?.found ?? null
  return said.seq > noted.seq && said.found.model !== noted.found.model ? said.found : noted.found
}

function first(
  entries: Iterable<StoredEntry>,
  read: (stored: StoredEntry) => ModelAddress | null,
): { readonly seq: number; readonly found: ModelAddress } | null {
  for (const stored of entries) {
    const found = read(stored)
    if (found !== null) return { seq: stored.seq, found }
  }
  return null
}

/** Records the model of a session if it changed. */
export function noteModel(log: SessionLog, client: ModelClient): void {
  const [now, before] = [addressOf(client), findLastModel(log)]
  if (before?.model === now.model && before.baseUrl === now.baseUrl) return
  log.append({ entries: [modelNote(now)], reliance: 'recorded' })
}
