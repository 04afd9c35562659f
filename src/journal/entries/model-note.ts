import { isJsonObject } from '../../core/json/value.ts'
import type { Entry } from './entry.ts'

/** A model and its server; null is the provider's own. */
export interface ModelAddress {
  readonly model: string
  readonly baseUrl: string | null
}

/** What a note is about that records a model. */
const MODEL = 'model'

/** The note that records a model. It never contains keys, nor a URL that may contain one. */
export function modelNote({ model, baseUrl }: ModelAddress, seal?: string): Entry {
  const data = { model, base_url: baseUrl, ...(seal === undefined ? {} : { seal }) }
  return { kind: 'note', about: MODEL, execution: null, data }
}

/** The model that a note records, and its seal; null if the entry is no such note, or one of a delegated conversation. */
export function readModelNote(entry: Entry): { readonly is: ModelAddress; readonly seal: string } | null {
  if (entry.kind !== 'note' || entry.about !== MODEL || entry.execution !== null) return null
  if (!isJsonObject(entry.data)) return null
  const { model, base_url: baseUrl, seal } = entry.data
  if (typeof model !== 'string') return null
  return {
    is: { model, baseUrl: typeof baseUrl === 'string' ? baseUrl : null },
    seal: typeof seal === 'string' ? seal : '',
  }
}
