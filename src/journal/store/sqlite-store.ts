import type { Clock } from '../../core/clock.ts'
import { readBootId } from '../../host/system/boot-id.ts'
import { takeLock } from '../../host/db/session-lock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { openAnchor } from '../chain/anchor-file.ts'
import { CHAIN_START, sessionId } from '../chain/chain.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { createEntryWriter } from '../entries/entry-text.ts'
import { explainFault } from '../explain-fault.ts'
import { readLastRow } from './fold-log.ts'
import { createGroupCommit } from './group-commit.ts'
import type { LogStore, SessionLog } from '../log.ts'
import { createLogWriter } from './log-writer.ts'
import type { LogWriter } from './log-writer.ts'
import type { JournalDatabase } from './open-database.ts'
import { openState } from './open-state.ts'
import { readAbout, readEntries, readHash, readHead } from './read-log.ts'
import {
  findSession,
  readCalls,
  readOpenBatches,
  readRecent,
  readSessions,
  readUnlanded,
  readUnsynced,
} from './read-state.ts'
import { createSqliteGrants } from '../grants/sqlite-grants.ts'
import { loadFindings } from '../entries/shared-findings.ts'
import { openSqliteSession } from './sqlite-session.ts'
import { stateFiles } from './state-files.ts'
import type { StateFiles } from './state-files.ts'
import { requireSessionName, sessionBusy } from '../journal-error.ts'

/** How a store on disk is opened. */
export interface SqliteStoreOptions {
  readonly stateDir: string
  /** `full`: what is durable has reached the disk. `normal`: it is left to the system when it gets there. */
  readonly durability: 'full' | 'normal'
  readonly clock: Clock
  /** The schema to bring the database to; tests bring their own. */
  readonly migrations?: readonly string[]
}

const DEFAULT_WAIT_MS = 10_000
const SCRUB_WAIT_MS = 2_000

/** Opens the journal in a state folder, and makes it where there is none. */
export function openSqliteStore({ stateDir, durability, clock, migrations }: SqliteStoreOptions): LogStore {
  const files = stateFiles(stateDir)
  const { database, key, anchorSession } = openState(files, migrations)
  const { sqlite } = database
  const isSyncing = durability === 'full'
  const writer = openWriter(database, files, isSyncing)
  const group = createGroupCommit(writer.write, clock)
  noteBoot(sqlite)
  const logs = new Map<string, SessionLog>()
  const formatEntry = createEntryWriter((tool) => writer.guard(() => loadFindings(sqlite, tool)))

  function payload(digest: Digest): Uint8Array | null {
    return writer.guard(() => {
      const row = writer.payloadRow(digest)
      if (row === null) return null
      const found = sqlite.statement("SELECT body FROM log WHERE id = ? AND kind = 'payload'").get(row)?.[
        'body'
      ]
      return found instanceof Uint8Array ? found : null
    })
  }

  async function open(session: SessionKey, waitMs = DEFAULT_WAIT_MS): Promise<SessionLog> {
    requireSessionName(session)
    const id = sessionId(session)
    const attempt = await takeLock(files.lockOf(id), waitMs, clock.now).catch((error: unknown) => {
      throw explainFault(error, stateDir)
    })
    if (!attempt.isHeld) throw sessionBusy(session, attempt.holder)
    try {
      const log = writer.guard(() => openHeld(session, id, attempt.lock))
      logs.set(id, log)
      return log
    } catch (error) {
      attempt.lock.release()
      throw error
    }
  }

  function openHeld(session: SessionKey, id: string, lock: { readonly release: () => void }): SessionLog {
    writer.fold()
    const row = findSession(sqlite, session)
    const head = (row === null ? null : readHead(sqlite, row)) ?? { seq: 0, hash: CHAIN_START }
    const hashAt = (seq: number): Digest | null => (row === null ? null : readHash(sqlite, row, seq))
    const view = { database: database.id, lastSeq: head.seq, hashAt }
    const label = JSON.stringify([session.root, session.name])
    const anchor = openAnchor(files.anchorOf(id), id, label, key, () => view)
    return openSqliteSession({
      key: session,
      row: row?.id ?? null,
      head,
      sqlite,
      writer,
      group,
      anchor,
      lock,
      clock,
      isSyncing,
      payload,
      formatEntry,
      noteNew: (number) => anchorSession(number, isSyncing),
      noteClosed: () => logs.delete(id),
    })
  }

  return {
    open,
    sessions: (root) => writer.guard(() => readSessions(sqlite, root).map((row) => row.key)),
    recent: (root) => {
      writer.fold()
      return writer.guard(() => readRecent(sqlite, root))
    },
    read: (session, fromSeq) => {
      const row = writer.guard(() => findSession(sqlite, session))
      return row === null ? [] : writer.guardEach(readEntries(sqlite, row, fromSeq))
    },
    payload,
    unlanded: (root) => {
      writer.fold()
      return writer.guard(() => readUnlanded(sqlite, { root }))
    },
    unsynced: (root) => {
      writer.fold()
      return writer.guard(() => readUnsynced(sqlite, root))
    },
    openBatches: (root) => {
      writer.fold()
      return writer.guard(() => readOpenBatches(sqlite, { root }))
    },
    findCalls: (prefix, root) => {
      writer.fold()
      return writer.guard(() => readCalls(sqlite, prefix, root))
    },
    about: ({ session, execution }) => {
      writer.fold()
      return writer.guard(() => {
        const row = findSession(sqlite, session)
        return row === null ? [] : readAbout(sqlite, row, execution)
      })
    },
    owned: (session) => logs.get(sessionId(session)) ?? null,
    payloadBytes: (digest) =>
      writer.guard(() => {
        const row = writer.payloadRow(digest)
        if (row === null) return null
        return Number(
          sqlite.statement('SELECT length(body) AS bytes FROM log WHERE id = ?').get(row)?.['bytes'] ?? 0,
        )
      }),
    bytesInUse: () =>
      writer.guard(() => {
        const [pages, free, bytes] = ['page_count', 'freelist_count', 'page_size'].map((pragma) =>
          Number(sqlite.statement(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0),
        )
        return ((pages ?? 0) - (free ?? 0)) * (bytes ?? 0)
      }),
    scrub: () => writer.guard(() => sqlite.emptyLog(SCRUB_WAIT_MS)),
    grants: createSqliteGrants(sqlite, writer, key),
    readValue: (name) =>
      writer.guard(() => {
        const value = sqlite.statement('SELECT value FROM meta WHERE key = ?').get(`kept:${name}`)?.['value']
        return typeof value === 'string' ? value : null
      }),
    writeValue: (name, value) => {
      const sql = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
      writer.write('recorded', () => sqlite.statement(sql).run(`kept:${name}`, value))
    },
    close: () => {
      for (const log of logs.values()) log.close()
      sqlite.close()
    },
  }
}

/** Remembers which rows were written before the machine was last started. */
function noteBoot(sqlite: Sqlite): void {
  const boot = readBootId()
  const isKnown = (): boolean =>
    sqlite.statement("SELECT value FROM meta WHERE key = 'boot'").get()?.['value'] === boot
  const set = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
  try {
    if (boot === null || isKnown()) return
    sqlite.transact(false, () => {
      if (isKnown()) return
      sqlite.statement(set).run('boot', boot)
      sqlite.statement(set).run('boot_row', readLastRow(sqlite))
    })
  } catch {
    // A journal that cannot be written says so when it has to be; whoever opens it next notes the boot.
  }
}

function openWriter(database: JournalDatabase, files: StateFiles, isSyncing: boolean): LogWriter {
  try {
    return createLogWriter(database, files, isSyncing)
  } catch (error) {
    database.sqlite.close()
    throw error
  }
}
