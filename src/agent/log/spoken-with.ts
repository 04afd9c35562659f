import { isJsonObject } from '../../core/json/value.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import type { Entry, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ModelClient } from '../../model/model-client.ts'

/** A model, and the server it was reached at; null is the provider's own. */
export interface SpokenWith {
  readonly model: string
  readonly baseUrl: string | null
}

const ABOUT = 'model'

/** What an entry says about whom a session is spoken with; null where it says nothing. */
function readSpokenWith(entry: Entry): SpokenWith | null {
  if (entry.kind !== 'note' || entry.about !== ABOUT || !isJsonObject(entry.data)) return null
  const { model, base_url: baseUrl } = entry.data
  return typeof model === 'string' ? { model, baseUrl: typeof baseUrl === 'string' ? baseUrl : null } : null
}

/** The entry that keeps whom a session is spoken with. Keys are never among it, nor an address that may hold one. */
export function noteSpokenWith({ model, baseUrl }: SpokenWith): Entry {
  return { kind: 'note', about: ABOUT, execution: null, data: { model, base_url: baseUrl } }
}

/** Whom a model client speaks with, as far as it may be kept. */
export function spokenWith({ id, baseUrl = '' }: ModelClient): SpokenWith {
  const isPlain = baseUrl !== '' && !/[?#@]/.test(baseUrl) && redactForApproval(baseUrl) === baseUrl
  return { model: id, baseUrl: isPlain ? baseUrl : null }
}

/** Whom a session is spoken with after an entry. */
export function foldSpokenWith(before: SpokenWith | null, entry: Entry): SpokenWith | null {
  const said = entry.kind === 'said' ? entry.model : null
  if (said !== null && said !== before?.model) return { model: said, baseUrl: null }
  return readSpokenWith(entry) ?? before
}

/** Whom a session was last spoken with, found from its end; null where nobody ever was. */
export function findSpokenWith({ newestFirst }: Pick<SessionLog, 'newestFirst'>): SpokenWith | null {
  const said = first(newestFirst('said'), ({ entry }) => foldSpokenWith(null, entry))
  const noted = first(newestFirst('note'), ({ entry }) => readSpokenWith(entry))
  if (said === null || noted === null) return said?.found ?? noted?.found ?? null
  return said.seq > noted.seq && said.found.model !== noted.found.model ? said.found : noted.found
}

function first(
  entries: Iterable<StoredEntry>,
  read: (stored: StoredEntry) => SpokenWith | null,
): { readonly seq: number; readonly found: SpokenWith } | null {
  for (const stored of entries) {
    const found = read(stored)
    if (found !== null) return { seq: stored.seq, found }
  }
  return null
}

/** Where the model of a new turn is to be reached: where it is said now, else where the same model was reached before. */
export function serverFor(spec: string, given: string | null, before: SpokenWith | null): string | null {
  return given ?? (before?.model === spec ? before.baseUrl : null)
}
