import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { seal } from '../../../src/host/system/hash.ts'
import { readKey } from '../../../src/journal/chain/anchor-file.ts'
import { chainHash, sessionId } from '../../../src/journal/chain/chain.ts'
import type { AskedEntry, BatchEntry, Entry } from '../../../src/journal/entries/entry.ts'
import type { HeldEntry } from '../../../src/journal/entries/conversation-entry.ts'
import { executionsOf } from '../../../src/journal/entries/mentions.ts'
import type { Bench } from '../../bench-folder.ts'

/** Where the journal is. */
type Place = Pick<Bench, 'stateDir'>

/** Changes the journal as a program without its key could. */
export function tamper(b: Place, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
  try {
    change(database)
  } finally {
    database.close()
  }
}

/** Gives every entry of the session `s` from a place on the hash that it has to have. */
export function rehash(database: DatabaseSync, from: number): void {
  const rows = database
    .prepare(
      `SELECT l.id, l.seq, l.at, l.body, s.root, s.name,
       (SELECT lower(hex(p.hash)) FROM log p WHERE p.session = l.session AND p.seq = l.seq - 1) AS before
       FROM log l JOIN session s ON s.id = l.session WHERE l.seq >= ? AND s.name = 's' ORDER BY l.seq`,
    )
    .all(from)
  let previous = String(rows[0]?.['before'] ?? '0'.repeat(64))
  for (const { id, seq, at, body, root, name } of rows) {
    const session = sessionId({ root: String(root), name: String(name) })
    previous = chainHash(previous, { session, seq: Number(seq), at: Number(at), body: String(body) })
    database.prepare('UPDATE log SET hash = ? WHERE id = ?').run(Buffer.from(previous, 'hex'), Number(id))
  }
}

/**
 * Has the end of the session `s` be one that Tongs recorded, for which it takes the key: so that a test shows what the other
 * seals are good for by themselves.
 */
export function sealEndAgain(b: Place): void {
  const key = readKey(join(b.stateDir, 'key'))
  if (key === null) throw new Error('the state folder has no key')
  tamper(b, (database) => {
    const last = database
      .prepare(
        `SELECT l.session, l.seq, lower(hex(l.hash)) AS hash, s.root, s.name FROM log l JOIN session s ON s.id = l.session
         WHERE s.name = 's' AND l.seq IS NOT NULL ORDER BY l.seq DESC LIMIT 1`,
      )
      .get()
    const of = sessionId({ root: String(last?.['root']), name: String(last?.['name']) })
    const text = `tongs end 1\n${JSON.stringify([of, last?.['seq'], last?.['hash']])}`
    database
      .prepare('INSERT OR REPLACE INTO end_seal VALUES (?, ?, ?)')
      .run(Number(last?.['session']), Number(last?.['seq']), seal(key, text))
  })
}

/** Stores a text as a program without the key can, and gives its digest. */
export type Store = (text: string) => string

function storeIn(database: DatabaseSync, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex')
  database
    .prepare("INSERT INTO log (kind, hash, body) VALUES ('payload', ?, ?)")
    .run(Buffer.from(digest, 'hex'), Buffer.from(text))
  return digest
}

/** Rewrites the last entry of a kind in the session `s`, with right hashes. */
function rewrite<T extends object>(
  b: Place,
  kind: string,
  change: (entry: T, store: Store) => T,
  which: 'first' | 'last' = 'last',
): void {
  tamper(b, (database) => {
    const store: Store = (text) => storeIn(database, text)
    const found = database
      .prepare(
        `SELECT l.id, l.seq, l.body FROM log l JOIN session s ON s.id = l.session
         WHERE l.kind = ? AND s.name = 's' ORDER BY l.seq ${which === 'last' ? 'DESC' : ''} LIMIT 1`,
      )
      .get(kind)
    const entry = change(JSON.parse(String(found?.['body'])) as T, store)
    database.prepare('UPDATE log SET body = ? WHERE id = ?').run(JSON.stringify(entry), Number(found?.['id']))
    rehash(database, Number(found?.['seq']))
  })
  sealEndAgain(b)
}

/** Rewrites what was asked last. */
export function rewriteAsked(b: Place, change: (asked: AskedEntry, store: Store) => AskedEntry): void {
  rewrite(b, 'asked', change)
}

/** Rewrites what was held last. */
export function rewriteHeld(b: Place, change: (held: HeldEntry, store: Store) => HeldEntry): void {
  rewrite(b, 'held', change)
}

/** Rewrites the batch that was asked about. */
export function rewriteBatch(
  b: Place,
  change: (batch: BatchEntry, store: Store) => BatchEntry,
  which?: 'first' | 'last',
): void {
  rewrite(b, 'batch', change, which)
}

/** The offer of a question, as it is stored. */
export function readOffer(b: Place, digest: string): Record<string, unknown> {
  let text = '{}'
  tamper(b, (database) => {
    const select = "SELECT body FROM log WHERE kind = 'payload' AND lower(hex(hash)) = ?"
    text = Buffer.from(database.prepare(select).get(digest)?.['body'] as Uint8Array).toString()
  })
  return JSON.parse(text) as Record<string, unknown>
}

/** Adds an entry to the end of the session `s`, with the hash that it has to have. */
export function addEntry(b: Place, make: (batch: BatchEntry, store: Store) => Entry): void {
  tamper(b, (database) => {
    const newest = (kind: string | null) =>
      database
        .prepare(
          `SELECT l.*, lower(hex(l.hash)) AS head, s.root, s.name FROM log l JOIN session s ON s.id = l.session
           WHERE s.name = 's' AND l.seq IS NOT NULL AND (?1 IS NULL OR l.kind = ?1) ORDER BY l.seq DESC LIMIT 1`,
        )
        .get(kind)
    const batch = JSON.parse(String(newest('batch')?.['body'])) as BatchEntry
    const entry = make(batch, (text) => storeIn(database, text))
    const { head, session, seq: last, at, root, name } = newest(null) ?? {}
    const seq = Number(last) + 1
    const body = JSON.stringify(entry)
    const calls = executionsOf(entry)
    const id = sessionId({ root: String(root), name: String(name) })
    const hash = chainHash(String(head), { session: id, seq, at: Number(at), body })
    database
      .prepare('INSERT INTO log (kind, session, seq, at, hash, calls, body) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(
        entry.kind,
        Number(session),
        seq,
        Number(at),
        Buffer.from(hash, 'hex'),
        calls.length === 0 ? null : JSON.stringify(calls),
        body,
      )
  })
}
