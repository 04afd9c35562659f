import type { Clock } from '../../core/clock.ts'
import { readBootId } from '../../host/system/platform.ts'
import { isLockHeld, lockHolder, takeLock } from '../../host/db/session-lock.ts'
import type { Lock } from '../../host/db/session-lock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { openAnchor } from '../chain/anchor-file.ts'
import { CHAIN_START, sessionId } from '../chain/chain.ts'
import type { Head } from '../chain/chain.ts'
import { appendClosing, lastClosing, viewClosings } from '../chain/closings.ts'
import { requireNothingHidden } from '../chain/filing.ts'
import { verifySession } from '../chain/verify-session.ts'
import { findAdded } from '../chain/sealed-entries.ts'
import { openWitness } from '../chain/witness.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import type { ForgottenEntry } from '../entries/forgotten-entry.ts'
import { createEntryWriter } from '../entries/entry-text.ts'
import { explainFault } from '../explain-fault.ts'
import { boundFolded, foldLog, readLastRow } from './fold-log.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Erasure, LogStore, SessionLog } from '../log.ts'
import { openLedger } from './ledger.ts'
import { createLogWriter } from './log-writer.ts'
import type { LogWriter } from './log-writer.ts'
import { openState } from './open-state.ts'
import { findRefusal } from '../access/find-refusal.ts'
import { readHash, readHead } from './read-log.ts'
import { findSession } from './read-state.ts'
import { createStoreQueries } from './store-queries.ts'
import { createSqliteGrants } from '../grants/sqlite-grants.ts'
import { loadFindings } from '../entries/shared-findings.ts'
import { openReadingStore } from '../access/reading-store.ts'
import { openSqliteSession } from './sqlite-session.ts'
import type { SqliteSession } from './sqlite-session.ts'
import type { SegmentUse } from '../segments/front.ts'
import { stateFiles } from './state-files.ts'
import { JournalError, requireSessionName, sessionBusy, sessionClosed } from '../journal-error.ts'

/** How to open a store on disk. */
export interface SqliteStoreOptions {
  readonly stateDir: string
  /** `full`: durable appends have reached the disk. `normal`: the operating system decides when they do. */
  readonly durability: 'full' | 'normal'
  readonly clock: Clock
  /** A file elsewhere that is told the heads of the chains; none if empty or absent. */
  readonly witness?: string | undefined
  /** The migrations to apply; tests pass their own. */
  readonly migrations?: readonly string[]
  /** When to use a segment in front of the database; tests and comparisons choose. */
  readonly segments?: SegmentUse
}

const DEFAULT_WAIT_MS = 10_000

/** Opens the journal in a state folder, or creates it. One that cannot be written to is opened for reading. */
export function openSqliteStore(options: SqliteStoreOptions): LogStore {
  const refusal = findRefusal(options.stateDir)
  if (refusal === null) return openWritable(options)
  // A disk that failed for a moment would keep this process from writing for good.
  if (refusal.code === 'io') throw refusal
  return openReadingStore(options.stateDir, refusal, (stateDir) =>
    openWritable({ ...options, stateDir, durability: 'normal', witness: '' }),
  )
}

function openWritable(options: SqliteStoreOptions): LogStore {
  const { stateDir, durability, clock, migrations, segments = 'auto' } = options
  const files = stateFiles(stateDir)
  const { database, key, anchorSession, anchorClosing, takeOver } = openState(files, migrations)
  const { sqlite } = database
  const isSyncing = durability === 'full'
  const { writer, witness } = closingOnError(sqlite, () => {
    const opened = createLogWriter(database, files, { isSyncing, segments })
    const told = (options.witness ?? '') === '' ? null : openWitness(options.witness ?? '', key, database.id)
    removeEnded(opened)
    noteBoot(sqlite)
    opened.guard(() => boundFolded(sqlite))
    if (isSyncing) opened.guard(takeOver)
    return { writer: opened, witness: told }
  })
  const group = createGroupCommit(writer.write, clock)
  const logs = new Map<string, SqliteSession>()
  /** By session: what its anchor knew of the closings when it was opened. */
  const known = new Map<string, Head>()
  const formatEntry = createEntryWriter((tool) => writer.guard(() => loadFindings(sqlite, tool)))
  const queries = createStoreQueries(sqlite, writer, { key, clock })

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

  function openHeld(session: SessionKey, id: string, lock: Lock): SqliteSession {
    writer.fold()
    const row = findSession(sqlite, session)
    const head = (row === null ? null : readHead(sqlite, row)) ?? { seq: 0, hash: CHAIN_START }
    const hashAt = (seq: number): Digest | null => (row === null ? null : readHash(sqlite, row, seq))
    const view = {
      database: database.id,
      lastSeq: head.seq,
      hashAt,
      closed: row === null ? null : lastClosing(sqlite, row.id),
      closings: viewClosings(sqlite),
      ...(row === null
        ? {}
        : {
            addedAfter: findAdded(sqlite, key, { row: row.id, session: id }, { lastSeq: head.seq, hashAt }),
          }),
    }
    const label = JSON.stringify([session.root, session.name])
    const anchor = openAnchor({ path: files.anchorOf(id), of: id, label }, key, (found) => {
      if (row !== null && typeof found !== 'string' && found.head.seq > head.seq)
        requireNothingHidden(sqlite, row, head.seq)
      return view
    })
    known.set(id, anchor.closings)
    return openSqliteSession({
      key: session,
      row: row?.id ?? null,
      head,
      sqlite,
      writer,
      group,
      anchor,
      followClosings: () => {
        if (isSyncing) anchor.noteClosings(viewClosings(sqlite))
      },
      listClosing: (number, durable) => {
        const closing = appendClosing(sqlite, key, { id: number, key: session }, durable)
        return () => anchor.noteClosings({ ...viewClosings(sqlite), head: closing })
      },
      sealKey: key,
      witness,
      lock,
      clock,
      isSyncing,
      payload: queries.payload,
      formatEntry,
      noteNew: (number) => anchorSession(number, isSyncing),
      noteClosed: () => logs.delete(id),
    })
  }

  async function erase(erasures: readonly Erasure[]): Promise<readonly ForgottenEntry[]> {
    const owned = erasures.map((what) => {
      const log = logs.get(sessionId(what.session))
      if (log === undefined) throw sessionClosed(what.session)
      return { log, what }
    })
    await Promise.all(owned.map(({ log }) => log.prepareErasure()))
    group.flush()
    const planned = owned.map(({ log, what }) => log.planErasure(what))
    writer.fold()
    writer.write('durable', (rows) => {
      writer.takeUpOthers()
      foldLog(sqlite)
      for (const { fill } of planned) fill(rows)
    })
    return planned.map(({ done }) => done())
  }

  return {
    ...queries,
    refusal: null,
    open,
    openToRead: open,
    erase,
    ledger: (session, path) => {
      writer.fold()
      return writer.guard(() => {
        const row = findSession(sqlite, session)
        const sealing = { key, session: sessionId(session) }
        return row === null ? null : openLedger({ sqlite, writer, sealing, rowOf: () => row.id }).read(path)
      })
    },
    verifies: (session, fromSeq) =>
      writer.guard(() =>
        verifySession({ sqlite, files, key, database: database.id, fold: writer.fold }, session, fromSeq),
      ),
    isInUse: async (session) => {
      const id = sessionId(session)
      return logs.has(id) || isLockHeld(files.lockOf(id))
    },
    ownerOf: async (session) => {
      const id = sessionId(session)
      return logs.has(id) ? null : lockHolder(files.lockOf(id))
    },
    owned: (session) => logs.get(sessionId(session)) ?? null,
    grants: createSqliteGrants({
      sqlite,
      writer,
      files,
      key,
      database: database.id,
      clock,
      isSyncing,
      witness,
      anchorSession,
      anchorClosing,
      knownClosings: () => [...known.values()],
    }),
    close: () => {
      for (const log of logs.values()) log.close()
      try {
        writer.close()
      } catch {
        // What is left waits for the next process that opens the journal.
      }
      sqlite.close()
    },
  }
}

/** What processes that have ended left is part of the log from now on. */
function removeEnded(writer: LogWriter): void {
  try {
    writer.removeEnded()
  } catch (error) {
    // If the disk is full, it waits until there is room; whatever has to be read up to date takes it up or fails.
    const isPassing = error instanceof JournalError && error.code !== 'newer_schema' && !writer.isBroken()
    if (!isPassing) throw error
  }
}

/** Records which rows were written before the last boot. */
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
    // A read-only journal fails when it is written to; the next process that opens it records the boot.
  }
}

/** A store that is not opened after all keeps nothing open. */
function closingOnError<T>(sqlite: Sqlite, open: () => T): T {
  try {
    return open()
  } catch (error) {
    sqlite.close()
    throw error
  }
}
