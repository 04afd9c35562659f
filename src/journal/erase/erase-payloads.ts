import { Buffer } from 'node:buffer'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { sessionId } from '../chain/chain.ts'
import type { Digest } from '../entries/entry.ts'
import type { ForgottenEntry } from '../entries/forgotten-entry.ts'
import { digestsOf } from '../entries/mentions.ts'
import { readEntries } from '../store/read-log.ts'
import { readLastRow } from '../store/fold-log.ts'
import { readSessions } from '../store/read-state.ts'
import type { Erasure } from '../log.ts'
import { updateUses } from './payload-uses.ts'

/** Payloads that can be erased. */
export interface PayloadsToErase {
  readonly payloads: number
  readonly bytes: number
  readonly remove: () => void
}

/**
 * Selects the chosen payloads that are stored and that no newer entry refers to. Call it, and `remove`, in one
 * transaction with up-to-date tables.
 */
export function findPayloadsToErase(
  sqlite: Sqlite,
  { payloads: chosen, readUpTo, unusedSince }: Pick<Erasure, 'payloads' | 'readUpTo' | 'unusedSince'>,
): PayloadsToErase {
  if (unusedSince !== undefined) while (!updateUses(sqlite)) continue
  const needed = unusedSince === undefined ? digestsSince(sqlite, readUpTo) : NONE
  const find = sqlite.statement(
    `SELECT p.id, length(l.body) AS bytes FROM payload_place p JOIN log l ON l.id = p.id
     WHERE p.digest = ?1 AND (?2 IS NULL OR coalesce(p.used, 0) < ?2)`,
  )
  const found = chosen
    .filter((digest) => !needed.has(digest))
    .flatMap((digest) => {
      const blob = Buffer.from(digest, 'hex')
      const row = find.get(blob, unusedSince ?? null)
      return row === undefined ? [] : [{ blob, id: Number(row['id']), bytes: Number(row['bytes']) }]
    })
  return {
    payloads: found.length,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    remove: () => {
      for (const { blob, id } of found) {
        sqlite.statement('DELETE FROM log WHERE id = ?').run(id)
        sqlite.statement('DELETE FROM payload_place WHERE digest = ?').run(blob)
      }
    },
  }
}

const NONE: ReadonlySet<Digest> = new Set()

/** What newer entries mention, and up to which row they were read. */
interface Newer {
  row: number
  readonly digests: Set<Digest>
}

/** The same choice is erased session by session; each time only what was written since is read. */
const newerThan = new WeakMap<ReadonlyMap<string, number>, Newer>()

function digestsSince(sqlite: Sqlite, readUpTo: ReadonlyMap<string, number>): ReadonlySet<Digest> {
  const row = readLastRow(sqlite)
  const known = newerThan.get(readUpTo)
  const newer = known ?? { row, digests: new Set<Digest>() }
  const written = known === undefined ? null : firstWritten(sqlite, known.row)
  newerThan.set(readUpTo, newer)
  if (written?.size !== 0)
    for (const session of readSessions(sqlite)) {
      const from =
        written === null ? (readUpTo.get(sessionId(session.key)) ?? 0) + 1 : written.get(session.id)
      if (from === undefined) continue
      for (const { entry } of readEntries(sqlite, session, from))
        for (const { digest } of digestsOf(entry)) newer.digests.add(digest)
    }
  newer.row = row
  return newer.digests
}

/** The first entry of each session after a row; an entry that records an erasure mentions nothing. */
function firstWritten(sqlite: Sqlite, row: number): ReadonlyMap<number, number> {
  const rows = sqlite
    .statement(
      "SELECT session, min(seq) AS seq FROM log WHERE id > ? AND seq IS NOT NULL AND kind <> 'forgotten' GROUP BY session",
    )
    .all(row)
  return new Map(rows.map((found) => [Number(found['session']), Number(found['seq'])]))
}

/** A forgotten entry lists at most this many calls. */
const MAX_LISTED = 256

/** The entry that records what was erased. If a span of many calls was erased, it lists some and counts the rest. */
export function forgottenEntry(
  { why, executions, span }: Erasure,
  payloads: number,
  bytes: number,
): ForgottenEntry {
  if (span === null) return { kind: 'forgotten', why, payloads, bytes, executions }
  const listed = executions.slice(0, MAX_LISTED)
  const unlisted = executions.length - listed.length
  return {
    kind: 'forgotten',
    why,
    payloads,
    bytes,
    executions: listed,
    ...(unlisted === 0 ? {} : { unlisted }),
    span,
  }
}
