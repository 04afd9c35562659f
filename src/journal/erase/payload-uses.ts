import { Buffer } from 'node:buffer'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Entry } from '../entries/entry.ts'
import { digestsOf } from '../entries/mentions.ts'
import type { PayloadUses } from '../log.ts'
import { readFolded } from '../store/fold-log.ts'
import type { LogWriter } from '../store/log-writer.ts'
import { findSession } from '../store/read-state.ts'

/** How many entries are taken up in one transaction, so that other writers need not wait long. */
const ENTRIES_AT_ONCE = 1_000
const PAYLOADS_AT_ONCE = 1_000

/** Tracks the uses of payloads in the database. */
export function createPayloadUses(sqlite: Sqlite, writer: Pick<LogWriter, 'guard' | 'fold'>): PayloadUses {
  return {
    update: () => {
      writer.fold()
      return writer.guard(() => sqlite.transact(false, () => updateUses(sqlite)))
    },
    expiring: (before) => {
      writer.fold()
      return writer.guard(() =>
        sqlite
          .statement(
            `SELECT s.root, s.name, w.seq FROM sweep w CROSS JOIN session s ON s.id = w.session
             WHERE w.at < ? AND s.root <> '' ORDER BY w.at`,
          )
          .all(before)
          .map((row) => ({
            session: { root: String(row['root']), name: String(row['name']) },
            seq: Number(row['seq']),
          })),
      )
    },
    swept: (session, { seq, at }) =>
      writer.guard(() => {
        const row = findSession(sqlite, session)
        if (row === null) return
        const set = sqlite.statement('UPDATE sweep SET seq = ?, at = ? WHERE session = ?')
        sqlite.transact(false, () => set.run(seq, at, row.id))
      }),
    cutoffFor: (bytes) => writer.guard(() => findCutoff(sqlite, bytes)),
  }
}

/** Takes up some of the entries in the tables; true once there are no more. Call it in a transaction. */
export function updateUses(sqlite: Sqlite): boolean {
  const from = Number(sqlite.statement("SELECT value FROM meta WHERE key = 'used_to'").get()?.['value'] ?? 0)
  const to = readFolded(sqlite)
  const rows = sqlite
    .statement(
      `SELECT id, at, entry_text(body) AS body FROM log WHERE id > ? AND id <= ? AND seq IS NOT NULL
       ORDER BY id LIMIT ${ENTRIES_AT_ONCE}`,
    )
    .all(from, to)
  const use = sqlite.statement(
    'UPDATE payload_place SET used = ?1 WHERE digest = ?2 AND (used IS NULL OR used < ?1)',
  )
  for (const row of rows) {
    // What only a damaged entry mentions counts as unused.
    const entry = parseJson(String(row['body']))
    if (isJsonObject(entry)) {
      for (const { digest } of digestsOf(entry as unknown as Entry))
        use.run(Number(row['at']), Buffer.from(digest, 'hex'))
    }
  }
  const isDone = rows.length < ENTRIES_AT_ONCE
  const reached = isDone ? to : Number(rows.at(-1)?.['id'] ?? to)
  if (reached > from) sqlite.statement("UPDATE meta SET value = ? WHERE key = 'used_to'").run(reached)
  return isDone
}

function findCutoff(sqlite: Sqlite, bytes: number): number {
  const next = sqlite.statement(
    `SELECT p.used, p.digest, length(l.body) AS bytes FROM payload_place p JOIN log l ON l.id = p.id
     WHERE p.used IS NOT NULL AND (p.used, p.digest) > (?, ?) ORDER BY p.used, p.digest LIMIT ${PAYLOADS_AT_ONCE}`,
  )
  let freed = 0
  let cutoff = 0
  let last: readonly [number, Uint8Array] = [-1, new Uint8Array()]
  for (;;) {
    const page = next.all(...last)
    for (const row of page) {
      const used = Number(row['used'])
      if (freed >= bytes && used > cutoff) return cutoff + 1
      freed += Number(row['bytes'])
      cutoff = used
      last = [used, row['digest'] as Uint8Array]
    }
    if (page.length === 0) return cutoff + 1
  }
}
