import { BREACHES } from '../chain/anchor.ts'
import { holdsFrom, vouchesFor, withoutForged } from '../chain/vouch-for-commits.ts'
import { sessionId } from '../chain/chain.ts'
import { sealQuestion } from '../chain/sealed-questions.ts'
import type { FileChange, StoredEntry } from '../entries/entry.ts'
import type { ForgottenEntry } from '../entries/forgotten-entry.ts'
import { findPayloadsToErase, forgottenEntry } from '../erase/erase-payloads.ts'
import type { Append, Breach, Erasure, SessionLog } from '../log.ts'
import { CallerThrew } from './fault-guard.ts'
import { formatLedgerChanges, ledgerChanges, openLedger } from './ledger.ts'
import { readAbout, readAboutBatch, readEdits, readEntries, readNewestFirst, waitingOf } from './read-log.ts'
import type { SessionRow } from './read-log.ts'
import { readCalls, readNewestOpen, readOpenBatches, readUnlanded } from './read-state.ts'
import type { Rows } from './rows.ts'
import { SessionWriter } from './session-writer.ts'
import type { Fill, SessionDeps } from './session-writer.ts'

/** An append, ready to be written. */
interface Compiled {
  readonly fill: Fill
  /** Called once it is written; updates the ledger. */
  readonly noteSeen: () => void
  readonly stored: () => readonly StoredEntry[]
}

/** An erasure, ready to be written in a transaction with up-to-date tables. */
export interface PlannedErasure {
  readonly fill: (rows: Rows) => void
  /** Called once it is written; returns the entry that records it. */
  readonly done: () => ForgottenEntry
}

/** A log on disk; its store writes the erasures of several together. */
export interface SqliteSession extends SessionLog {
  /** Call it before the transaction; it is quicker for many sessions at the same time. */
  readonly prepareErasure: () => Promise<void>
  readonly planErasure: (what: Erasure) => PlannedErasure
}

/** Opens the log of a session whose lock is held. */
export function openSqliteSession(deps: SessionDeps): SqliteSession {
  const { key, sqlite, writer, clock, isSyncing } = deps
  const session = new SessionWriter(deps)
  const sealing = { key: deps.sealKey, session: sessionId(key) }
  const ledger = openLedger({ sqlite, writer, sealing, rowOf: () => session.row })

  function compile(what: Append): Compiled {
    const composed = session.compose(what.entries)
    const changes = writer.guard(() => ledgerChanges(what, ledger.read))
    const payloads = [...(what.payloads ?? [])]
    return {
      fill: (rows, row) => {
        if (what.confirm !== undefined) confirm(what.confirm, writer.unlandedInOtherSessions(row))
        for (const entry of composed) rows.entry(row, entry)
        for (const [digest, content] of payloads) rows.payload(digest, content)
        if (changes.length > 0) rows.ledger(row, formatLedgerChanges(changes, sealing))
        return composed
      },
      noteSeen: () => ledger.note(changes),
      stored: () => composed.map(({ seq, at, hash, entry }) => ({ session: key, seq, at, hash, entry })),
    }
  }

  function append(what: Append): readonly StoredEntry[] {
    session.flush()
    const { fill, noteSeen, stored } = compile(what)
    session.write(what.reliance, fill, what.confirm === undefined)
    noteSeen()
    return stored()
  }

  async function appendTogether(what: Append): Promise<void> {
    session.prepare()
    const { fill, noteSeen } = compile(what)
    await session.join({ reliance: what.reliance, isPlain: what.confirm === undefined }, fill, noteSeen)
  }

  function planErasure(what: Erasure): PlannedErasure {
    let entry = forgottenEntry(what, 0, 0)
    const write: Fill = (rows, row) => {
      const erasable = findPayloadsToErase(sqlite, what)
      entry = forgottenEntry(what, erasable.payloads, erasable.bytes)
      const composed = session.compose([entry])
      for (const one of composed) rows.entry(row, one)
      erasable.remove()
      return composed
    }
    // Most sessions are closed right after it; so closing many of them costs nothing more.
    const { fill, done } = session.plan('durable', write, true)
    return {
      fill,
      done: () => {
        done()
        return entry
      },
    }
  }

  /** Reads from the log; a session without entries is not in the database yet. */
  function read(from: (row: SessionRow) => Iterator<StoredEntry>): Iterable<StoredEntry> {
    const { row } = session
    return row === null ? [] : writer.guardEach(from({ id: row, key }))
  }

  /** Whoever follows the log asks for what is new again and again: mostly there is nothing, or it is still in memory. */
  function* readFrom(row: SessionRow, fromSeq: number): Generator<StoredEntry> {
    let next = fromSeq
    while (next <= session.latestSeq) {
      const waiting = writer.ownEntries(row.id)
      const holdsAll = (waiting[0]?.seq ?? Infinity) <= next && waiting.at(-1)?.seq === session.latestSeq
      if (!holdsAll) return yield* readEntries(sqlite, row, next, () => writer.ownEntries(row.id))
      for (const entry of waiting) {
        if (entry.seq < next) continue
        yield waitingOf(sqlite, entry, key)
        next = entry.seq + 1
      }
    }
  }

  /** Queries the tables, brought up to date, about this session. */
  function ask<T>(question: (row: SessionRow) => readonly T[]): readonly T[] {
    writer.fold()
    const { row } = session
    return writer.guard(() => (row === null ? [] : question({ id: row, key })))
  }

  const isGenuine = (seq: number): boolean =>
    ask((row) => [vouchesFor(sqlite, sealing.key, row, seq)]).every(Boolean)

  return {
    key,
    append,
    appendTogether,
    entries: (fromSeq = 1) => read((row) => readFrom(row, fromSeq)),
    latestSeq: () => session.latestSeq,
    about: (execution) => ask((row) => readAbout(sqlite, row, execution)),
    aboutBatch: (seq) => ask((row) => readAboutBatch(sqlite, row, seq)),
    newestFirst: (kind) => {
      if (kind !== undefined) writer.fold()
      return read((row) => readNewestFirst(sqlite, row, kind ?? null, () => writer.ownEntries(row.id)))
    },
    edits: () => {
      writer.fold()
      return withoutForged(
        read((row) => readEdits(sqlite, row)),
        isGenuine,
      )
    },
    findCalls: (prefix) =>
      ask(({ id }) => readCalls(sqlite, prefix, { session: id }).map(({ execution }) => execution)),
    payload: deps.payload,
    ledger: (path) => writer.guard(() => ledger.read(path)),
    openBatches: () => ask(({ id }) => readOpenBatches(sqlite, { session: id })),
    newestOpen: () => ask(({ id }) => [readNewestOpen(sqlite, id)])[0] ?? null,
    landed: (executions, how = 'in place') => {
      const at = how === 'in place' && isSyncing ? Math.trunc(clock.now()) : null
      mark(session, (rows, row) => {
        for (const execution of [executions].flat()) rows.landed(row, execution, at)
      })
    },
    synced: (executions) => mark(session, (rows, row) => rows.synced(row, executions)),
    unlanded: () => ask(({ id }) => readUnlanded(sqlite, { key: sealing.key, clock }, { session: id })),
    prepareErasure: () => session.prepareLater(),
    planErasure,
    sealOf: (text) => sealQuestion(key, text, sealing.key),
    breach: describeBreach(deps.anchor.breach),
    vouchesFor: isGenuine,
    holdsFrom: (seq) => ask((row) => [holdsFrom(sqlite, sealing.key, row, seq)]).every(Boolean),
    close: () => session.close(),
  }
}

/** Writes rows that are no entries. */
function mark(session: SessionWriter, write: (...place: Parameters<Fill>) => void): void {
  session.write('recorded', (...place) => {
    write(...place)
    return []
  })
}

function describeBreach(found: SessionDeps['anchor']['breach']): Breach | null {
  if (found === null) return null
  const added = found.is === 'unsealed' ? ({ isAdded: true } as const) : {}
  return { seq: found.seq, why: BREACHES[found.is], ...added }
}

function confirm(agree: NonNullable<Append['confirm']>, otherChanges: readonly FileChange[]): void {
  try {
    agree(otherChanges)
  } catch (thrown) {
    throw new CallerThrew(thrown)
  }
}
