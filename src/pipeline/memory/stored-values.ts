import { failure } from '../../core/error.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Digest, SeenFile } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'

const utf8 = new TextDecoder()

/** The ledger lists a session's stored values under names that no file can have. */
function nameFor(key: string): string {
  return `tongs:store/${key}`
}

/** What stored values are read from. */
export type StoredSource = Pick<SessionLog, 'ledger' | 'payload'>

/** The digests of stored values by key, as a call found them. */
export type StoredBefore = ReadonlyMap<string, Digest | null>

/** The digest of the value that the session stores under a key; null if there is none. */
export function storedDigest(log: StoredSource, key: string): Digest | null {
  return log.ledger(nameFor(key))?.digest ?? null
}

/** Throws if another call has replaced a value that this call read before it wrote. */
export function requireUnchanged(before: StoredBefore, log: SessionLog): void {
  for (const [key, digest] of before)
    if (storedDigest(log, key) !== digest)
      throw failure(
        'execution_failed',
        `Another call changed the ${key} of this session in the meantime, so this call was not saved.`,
        { key },
        ['Read the current value, and make the call again.'],
      )
}

/** The value that the session stores under a key, or null. */
export function readStored(log: StoredSource, key: string): JsonValue | null {
  const digest = storedDigest(log, key)
  const bytes = digest === null ? null : log.payload(digest)
  return bytes === null ? null : (JSON.parse(utf8.decode(bytes)) as JsonValue)
}

/** What to record so that the values are stored: their contents, and where to find them. */
export function composeStored(
  values: ReadonlyMap<string, JsonValue>,
  at: number,
  digestOf: (bytes: Uint8Array) => Digest,
) {
  const payloads = new Map<Digest, Uint8Array>()
  const seen: SeenFile[] = []
  const stored: Record<string, Digest> = {}
  for (const [key, value] of values) {
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    const digest = digestOf(bytes)
    payloads.set(digest, bytes)
    stored[key] = digest
    seen.push({ path: nameFor(key), digest, at, range: null })
  }
  return { payloads, seen, stored }
}
