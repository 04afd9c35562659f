import { digest } from '../../host/system/hash.ts'
import type { Digest, SessionKey, Entry } from '../entries/entry.ts'
import type { EntryText } from '../entries/entry-text.ts'
import { changesOf, executionsOf } from '../entries/mentions.ts'
import type { EntryRow } from '../store/rows.ts'

/** A place in a chain. */
export interface Head {
  readonly seq: number
  readonly hash: Digest
}

/** The hash before the first entry of every session. */
export const CHAIN_START: Digest = '0'.repeat(64)

/** A session's id in hashes and file names; different roots or names never share one. */
export function sessionId({ root, name }: SessionKey): string {
  return digest(JSON.stringify([root, name]))
}

/** What an entry's hash is made of, besides the hash before it. */
export interface ChainedEntry {
  /** The session's id. */
  readonly session: string
  readonly seq: number
  readonly at: number
  /** The entry's JSON as stored. */
  readonly body: string
}

/** An entry's hash; it depends on everything before the entry, and on its session and place. */
export function chainHash(previous: Digest, { session, seq, at, body }: ChainedEntry): Digest {
  return digest(`${previous}\n${session}\n${seq}\n${at}\n${body}`)
}

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
    hash = chainHash(hash, { session, seq, at, body })
    const hasChanges = changesOf(entry).length > 0
    return {
      seq,
      at,
      kind: entry.kind,
      hash,
      executions: executionsOf(entry),
      hasChanges,
      isDoubt: entry.kind === 'note' && (entry.about === 'in_doubt' || entry.about === 'elsewhere'),
      body,
      shared,
      entry,
    }
  })
}
