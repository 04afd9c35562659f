import type { Head } from '../chain/anchor.ts'
import { chainHash } from '../chain/chain.ts'
import type { Entry } from './entry.ts'
import type { EntryText } from './entry-text.ts'
import { changesOf, executionsOf } from './mentions.ts'
import type { EntryRow } from '../store/rows.ts'

/** An entry with the row that it becomes. */
export interface ComposedEntry extends EntryRow {
  readonly entry: Entry
}

/** Gives entries their places in the chain of a session, after its head. */
export function composeEntries(
  entries: readonly Entry[],
  head: Head,
  { session, at }: { readonly session: string; readonly at: number },
  formatEntry: (entry: Entry) => EntryText,
): readonly ComposedEntry[] {
  let { seq, hash } = head
  return entries.map((entry) => {
    const { body, shared } = formatEntry(entry)
    seq++
    hash = chainHash(hash, session, seq, at, body)
    const hasChanges = changesOf(entry).length > 0
    return {
      seq,
      at,
      kind: entry.kind,
      hash,
      executions: executionsOf(entry),
      hasChanges,
      isDoubt: entry.kind === 'note' && entry.about === 'in_doubt',
      body,
      shared,
      entry,
    }
  })
}
