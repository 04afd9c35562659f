import { Buffer } from 'node:buffer'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { compressText, decompressText } from '../../host/system/compress.ts'
import { secretBytes } from '../../host/system/hash.ts'
import type { Entry } from './entry.ts'

/** Most of the log: entries of these kinds have few shapes, and nothing looks into their text with SQL. */
const PACKED: ReadonlySet<string> = new Set<Entry['kind']>(['batch', 'settled'])

/** Fewer entries are not worth it. */
const FEWEST = 32
/** A reader of one entry decompresses all of its pack. */
const MOST = 128
const MOST_BYTES = 64 * 1024 ** 2
/** Numbers of packs are random, so that none is used again, not even after a transaction that was rolled back. */
const NUMBERS = 2 ** 44
/** How many packs a connection remembers. */
const REMEMBERED = 8

const SEPARATOR = '\n'

interface WithText {
  readonly kind: string
  readonly body: string
}

/**
 * Stores the texts of entries together, if that is worth it, and returns under which number each is found. Call it in
 * a transaction. Entries that edit stay as they are, because their text is looked into.
 */
export function packEntries<T extends WithText>(
  sqlite: Sqlite,
  entries: readonly T[],
): ReadonlyMap<T, bigint> {
  const packed = entries.filter(canPack)
  const places = new Map<T, bigint>()
  if (packed.length < FEWEST) return places
  for (let from = 0; from < packed.length; from += MOST) {
    const some = packed.slice(from, from + MOST)
    const number = Buffer.from(secretBytes(6)).readUIntBE(0, 6) % NUMBERS
    const texts = compressText(some.map(({ body }) => body).join(SEPARATOR))
    sqlite.statement('INSERT INTO pack (id, texts) VALUES (?, ?)').run(number, texts)
    for (const [index, entry] of some.entries()) places.set(entry, BigInt(number * MOST + index))
  }
  return places
}

function canPack({ kind, body }: WithText): boolean {
  return PACKED.has(kind) && !body.includes('"effect":"edit"') && !body.includes(SEPARATOR)
}

/**
 * Defines `entry_text(body)`: the text of an entry whose `body` is either that or the number under which it was packed;
 * null if it is gone.
 */
export function defineEntryText(sqlite: Sqlite): void {
  const remembered = new Map<number, readonly string[]>()

  function textsOf(number: number): readonly string[] {
    const known = remembered.get(number)
    if (known !== undefined) return known
    const found = sqlite.statement('SELECT texts FROM pack WHERE id = ?').get(number)?.['texts']
    const text = found instanceof Uint8Array ? decompressText(found, MOST_BYTES) : null
    const texts = text?.split(SEPARATOR) ?? []
    const [oldest] = remembered.keys()
    if (remembered.size >= REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    // What is damaged may be mended.
    if (text !== null) remembered.set(number, texts)
    return texts
  }

  sqlite.define('entry_text', (body) => {
    if (typeof body !== 'bigint') return body
    const place = Number(body)
    return textsOf(Math.floor(place / MOST))[place % MOST] ?? null
  })
}
