import { dirname } from 'node:path'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { digest as digestOf } from '../../host/system/hash.ts'
import { freeBytes } from '../../host/system/resources.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { sealQuestion } from '../chain/sealed-questions.ts'
import { vouchesFor, withoutForged } from '../chain/vouch-for-commits.ts'
import { GRANT_CHAIN } from '../grants/grant-chain.ts'
import { readKept, writeKept } from '../access/kept-values.ts'
import type { LogStore } from '../log.ts'
import type { LogWriter } from './log-writer.ts'
import { createPayloadUses } from '../erase/payload-uses.ts'
import { readCounts, readLastEdits, readLastUses, readPaused } from '../overview/read-overview.ts'
import {
  readAbout,
  readAboutBatch,
  readEdits,
  readEntries,
  readNewestFirst,
  readOldestFirst,
} from './read-log.ts'
import {
  findSession,
  hasSessions,
  readCalls,
  readOpenBatches,
  readRecent,
  readSessions,
  readUnfinished,
  readUnlanded,
  readUnsynced,
} from './read-state.ts'
import type { Judging } from './read-state.ts'

/** How long scrubbing waits for readers of the write-ahead log before it gives up. */
const SCRUB_WAIT_MS = 2_000

/** Compacting holds a copy of the journal in memory. */
const MAX_COMPACTED_BYTES = 64 * 1024 ** 2

/** The part of a store that works across sessions. */
export type StoreQueries = Omit<
  LogStore,
  | 'refusal'
  | 'open'
  | 'openToRead'
  | 'owned'
  | 'isInUse'
  | 'ownerOf'
  | 'ledger'
  | 'erase'
  | 'grants'
  | 'verifies'
  | 'close'
>

/** The chain of grants is a session without a root; no caller opened it. */
function isOfCaller({ root }: SessionKey): boolean {
  return root !== GRANT_CHAIN.root
}

/** Creates the queries over all sessions in the database. */
export function createStoreQueries(sqlite: Sqlite, writer: LogWriter, judging: Judging): StoreQueries {
  const { key } = judging
  /** Queries the tables, brought up to date. */
  function ask<T>(question: () => T): T {
    writer.fold()
    return writer.guard(question)
  }

  function payload(digest: Digest): Uint8Array | null {
    return writer.guard(() => {
      const waiting = writer.waitingPayload(digest)
      if (waiting !== null) return waiting
      const row = writer.payloadRow(digest)
      if (row === null) return null
      const select = sqlite.statement("SELECT body FROM log WHERE id = ? AND kind = 'payload'")
      const found = select.get(row)?.['body']
      // Another program may have changed it; then it is as good as lost, and nothing is shown or put in place of it.
      return found instanceof Uint8Array && digestOf(found) === digest ? found : null
    })
  }

  function bytesInUse(): number {
    return writer.guard(() => {
      const [pages, free, bytes] = ['page_count', 'freelist_count', 'page_size'].map((pragma) =>
        Number(sqlite.statement(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0),
      )
      return ((pages ?? 0) - (free ?? 0)) * (bytes ?? 0)
    })
  }

  return {
    sessions: (root) =>
      writer.guard(() =>
        readSessions(sqlite, root)
          .map((row) => row.key)
          .filter(isOfCaller),
      ),
    hasSessions: (root) => ask(() => hasSessions(sqlite, root)),
    recent: (root, filter) => ask(() => readRecent(sqlite, root, filter)),
    read: (session, fromSeq) => {
      const row = writer.guard(() => findSession(sqlite, session))
      if (row === null) return []
      return writer.guardEach(readEntries(sqlite, row, fromSeq, () => writer.waitingEntries(row.id)))
    },
    newestFirst: (session, kind) => {
      writer.fold()
      const row = writer.guard(() => findSession(sqlite, session))
      return row === null ? [] : writer.guardEach(readNewestFirst(sqlite, row, kind ?? null))
    },
    said: (session) => {
      writer.fold()
      const row = writer.guard(() => findSession(sqlite, session))
      return row === null ? [] : writer.guardEach(readOldestFirst(sqlite, row, 'said'))
    },
    edits: (session) => {
      writer.fold()
      const row = writer.guard(() => findSession(sqlite, session))
      if (row === null) return []
      const isGenuine = (seq: number): boolean => writer.guard(() => vouchesFor(sqlite, key, row, seq))
      return withoutForged(writer.guardEach(readEdits(sqlite, row)), isGenuine)
    },
    lastUses: (root, most) => ask(() => readLastUses(sqlite, root, most)),
    paused: (root) => ask(() => readPaused(sqlite, root)),
    lastEdits: (root) => ask(() => readLastEdits(sqlite, root)),
    orderOf: (session, seq) =>
      ask(() => {
        const row = findSession(sqlite, session)
        const place = sqlite.statement('SELECT id FROM place WHERE session = ? AND seq = ?')
        const found = row === null ? undefined : place.get(row.id, seq)
        return found === undefined ? null : Number(found['id'])
      }),
    counts: (root, filter) => ask(() => readCounts(sqlite, root, filter)),
    readTogether: writer.readTogether,
    payload,
    unlanded: (root) => ask(() => readUnlanded(sqlite, judging, { root })),
    unsynced: (root) => ask(() => readUnsynced(sqlite, judging, root)),
    openBatches: (root) => ask(() => readOpenBatches(sqlite, { root })),
    unfinished: (root) => ask(() => readUnfinished(sqlite, root)),
    aboutBatch: (session, seq) =>
      ask(() => {
        const row = findSession(sqlite, session)
        return row === null ? [] : readAboutBatch(sqlite, row, seq)
      }),
    sealOf: (session, text) => sealQuestion(session, text, key),
    vouchesFor: (session, seq) =>
      ask(() => {
        const row = findSession(sqlite, session)
        return row !== null && vouchesFor(sqlite, key, row, seq)
      }),
    findCalls: (prefix, root) => ask(() => readCalls(sqlite, prefix, { root })),
    about: ({ session, execution }) =>
      ask(() => {
        const row = findSession(sqlite, session)
        return row === null ? [] : readAbout(sqlite, row, execution)
      }),
    payloadBytes: (digest) =>
      writer.guard(() => {
        const waiting = writer.waitingPayload(digest)
        if (waiting !== null) return waiting.length
        const row = writer.payloadRow(digest)
        if (row === null) return null
        const found = sqlite.statement('SELECT length(body) AS bytes FROM log WHERE id = ?').get(row)
        return Number(found?.['bytes'] ?? 0)
      }),
    bytesInUse,
    uses: createPayloadUses(sqlite, writer),
    scrub: () => writer.scrub(SCRUB_WAIT_MS),
    compact: () => {
      const bytes = bytesInUse()
      if (bytes > MAX_COMPACTED_BYTES || bytes > (freeBytes(dirname(sqlite.path)) ?? 0) / 2) return
      try {
        sqlite.run('VACUUM')
        sqlite.emptyLog(SCRUB_WAIT_MS)
      } catch {
        // Another process is reading; the freed space is used for new entries all the same.
      }
    },
    readValue: (name) => writer.guard(() => readKept(sqlite, key, name)),
    writeValue: (name, value) => writer.write('recorded', () => writeKept(sqlite, key, { name, value })),
    writeValues: (values) =>
      writer.write('recorded', () => {
        for (const [name, value] of values) writeKept(sqlite, key, { name, value })
      }),
  }
}
