import { failure } from '../../core/error.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Digest, SeenFile } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'

const utf8 = new TextDecoder()

/** The ledger knows what a session keeps by names that no file can have. */
function nameFor(key: string): string {
  return `tongs:store/${key}`
}

/** What is kept, by key, as a call found it. */
export type KeptBefore = ReadonlyMap<string, Digest | null>

/** What stands for the value that the session has kept under a key; null where there is none. */
export function keptDigest(log: SessionLog, key: string): Digest | null {
  return log.ledger(nameFor(key))?.digest ?? null
}

/** Throws where what a call looked at before it wrote has been replaced by another one since. */
export function requireKept(before: KeptBefore, log: SessionLog): void {
  for (const [key, digest] of before)
    if (keptDigest(log, key) !== digest)
      throw failure(
        'execution_failed',
        `Another call changed the ${key} of this session meanwhile; nothing of this call was kept.`,
        { key },
        ['Look at what is there now, and make the call again.'],
      )
}

/** What the session has kept under a key, or null. */
export function recall(log: SessionLog, key: string): JsonValue | null {
  const digest = keptDigest(log, key)
  const bytes = digest === null ? null : log.payload(digest)
  return bytes === null ? null : (JSON.parse(utf8.decode(bytes)) as JsonValue)
}

/** What is to be written down so that the values are kept: their contents, and where to find them. */
export function keep(
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
