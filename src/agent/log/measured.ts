import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Entry, NoteEntry } from '../../journal/entries/entry.ts'

/** How large a request was by its provider's count, beside what it was estimated to be. */
export interface Measured {
  readonly model: string
  readonly tokens: number
  readonly estimated: number
  /** False once the conversation was compacted: then only the proportion still holds. */
  readonly isCurrent: boolean
}

/** What the note is about that begins a copy of a conversation; it carries the newest count of the original. */
export const FORKED = 'forked'

/** The newest count as such a note carries it. */
export function carryMeasured(measured: Measured | null): JsonObject {
  if (measured === null) return {}
  const { model, tokens, estimated } = measured
  return { model, input_tokens: tokens, estimated_tokens: estimated }
}

/** The newest count after an entry. */
export function foldMeasured(before: Measured | null, entry: Entry): Measured | null {
  if (entry.kind === 'condensed') return before === null ? null : { ...before, isCurrent: false }
  // A note about a call is one of a delegated conversation.
  if (entry.kind !== 'note' || entry.execution !== null || !isJsonObject(entry.data)) return before
  if (entry.about !== 'usage' && entry.about !== FORKED) return before
  const { model, input_tokens: tokens, estimated_tokens: estimated } = entry.data
  if (typeof model !== 'string' || typeof tokens !== 'number' || typeof estimated !== 'number') return before
  return tokens > 0 && estimated > 0
    ? { model, tokens, estimated, isCurrent: entry.about === 'usage' }
    : before
}

/** The session that an entry says its own was forked from; null if it says nothing of that. */
export function readForkedFrom({ about, data }: NoteEntry): string | null {
  return about === FORKED && isJsonObject(data) && typeof data['from'] === 'string' ? data['from'] : null
}
