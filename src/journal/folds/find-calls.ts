import type { SessionKey, StoredEntry } from '../entries/entry.ts'
import type { LogStore } from '../log.ts'

/** A call with everything the journal says about it, or why it was not found. */
export type CallSearch =
  | {
      readonly ok: true
      readonly session: SessionKey
      readonly execution: string
      readonly entries: readonly StoredEntry[]
    }
  | { readonly ok: false; readonly why: 'none' }
  | { readonly ok: false; readonly why: 'several'; readonly executions: readonly string[] }

/** Finds a call by its execution id or a prefix of it that fits no other. */
export function findCalls(store: LogStore, prefix: string, root?: string): CallSearch {
  const found = prefix === '' ? [] : store.findCalls(prefix, root)
  const call = found.find(({ execution }) => execution === prefix) ?? found[0]
  if (call === undefined) return { ok: false, why: 'none' }
  if (found.length > 1 && call.execution !== prefix) {
    return { ok: false, why: 'several', executions: found.map(({ execution }) => execution) }
  }
  return { ok: true, ...call, entries: store.about(call) }
}
