import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { DELEGATION } from '../entries/delegated-entry.ts'
import type { Digest, NoteEntry, StoredEntry } from '../entries/entry.ts'

/** How a delegated conversation began. */
export interface Delegation {
  /** The call that it belongs to. */
  readonly execution: string
  readonly role: string | null
  /** The tools that it was given. */
  readonly tools: readonly string[]
  /** 1 for one that the conversation of the session began. */
  readonly depth: number
  /** Payload: what its role says; null without a role. */
  readonly text: Digest | null
}

/** The note that begins a delegated conversation. */
export function delegationNote({ execution, role, tools, depth, text }: Delegation): NoteEntry {
  const data: JsonObject = { role, tools: [...tools], depth, ...(text === null ? {} : { text }) }
  return { kind: 'note', about: DELEGATION, execution, data }
}

/** How the conversation of a call began, by the entries about it; null if it did not. */
export function readDelegation(entries: Iterable<StoredEntry>, execution: string): Delegation | null {
  for (const { entry } of entries) {
    if (entry.kind !== 'note' || entry.about !== DELEGATION || entry.execution !== execution) continue
    if (!isJsonObject(entry.data)) continue
    const { role, tools, depth, text } = entry.data
    return {
      execution,
      role: typeof role === 'string' ? role : null,
      tools: Array.isArray(tools) ? tools.map(String) : [],
      depth: typeof depth === 'number' ? depth : 1,
      text: typeof text === 'string' ? text : null,
    }
  }
  return null
}
