import { Buffer } from 'node:buffer'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { sessionId } from '../chain/chain.ts'
import type { Digest } from '../entries/entry.ts'
import type { ForgottenEntry } from '../entries/forgotten-entry.ts'
import { digestsOf } from '../entries/mentions.ts'
import { readEntries } from '../store/read-log.ts'
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

function digestsSince(sqlite: Sqlite, readUpTo: ReadonlyMap<string, number>): ReadonlySet<Digest> {
  const found = new Set<Digest>()
  for (const session of readSessions(sqlite)) {
    const from = (readUpTo.get(sessionId(session.key)) ?? 0) + 1
    for (const { entry } of readEntries(sqlite, session, from)) {
      for (const { digest } of digestsOf(entry)) found.add(digest)
    }
  }
  return found
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
