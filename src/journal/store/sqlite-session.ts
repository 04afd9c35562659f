import type { Clock } from '../../core/clock.ts'
import type { Lock } from '../../host/db/session-lock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { BREACHES } from '../chain/anchor.ts'
import type { AnchorFile } from '../chain/anchor-file.ts'
import { CallerThrew } from './caller-threw.ts'
import { sessionId, composeEntries } from '../chain/chain.ts'
import type { Entry, ForgottenEntry, SessionKey, StoredEntry } from '../entries/entry.ts'
import type { ComposedEntry, Head } from '../chain/chain.ts'
import { bytesOf } from '../entries/content.ts'
import type { EntryText } from '../entries/entry-text.ts'
import { findPayloadsToErase, forgottenEntry } from '../erase/erase-payloads.ts'
import { foldLog } from './fold-log.ts'
import type { GroupCommit, Member } from './group-commit.ts'
import { JournalError } from '../journal-error.ts'
import { ledgerChanges } from './ledger.ts'
import type { LedgerChange } from './ledger.ts'
import type { Append, Breach, Erasure, LedgerRow, Reliance, SessionLog } from '../log.ts'
import type { LogWriter } from './log-writer.ts'
import { readAbout, readEntries, readNewestFirst } from './read-log.ts'
import type { SessionRow } from './read-log.ts'
import { readOpenBatches, readUnlanded } from './read-state.ts'
import type { EntryRow, Rows } from './rows.ts'
import { createAnchorWriter } from '../chain/anchor-file.ts'

type Fill = (rows: Rows, session: number) => readonly EntryRow[]

/** An append, ready to be written. */
interface Compiled {
  readonly fill: Fill
  /** Called once it is written: the ledger shows what was seen. */
  readonly noteSeen: () => void
  readonly stored: () => readonly StoredEntry[]
}

/** What a session needs of its store. */
export interface SessionDeps {
  readonly key: SessionKey
  /** Null until the first entry. */
  readonly row: number | null
  readonly head: Head
  readonly sqlite: Sqlite
  readonly writer: LogWriter
  readonly group: GroupCommit
  readonly anchor: AnchorFile
  readonly lock: Lock
  readonly clock: Clock
  /** Whether durable commits are synced. */
  readonly isSyncing: boolean
  readonly payload: SessionLog['payload']
  /** The sessions of a store share what can be shared of their entries. */
  readonly formatEntry: (entry: Entry) => EntryText
  /** Called once, after the first durable append to a session that is new. */
  readonly noteNew: (row: number) => void
  readonly noteClosed: () => void
}

/** Opens the log of a session whose lock is held. */
export function openSqliteSession(parts: SessionDeps): SessionLog {
  const { key, sqlite, writer, group, anchor, clock } = parts
  const anchorWriter = createAnchorWriter(anchor, parts.isSyncing)
  const id = sessionId(key)
  let { row, head } = parts
  let isNew = row === null
  let isOpen = true
  /** What of this session waits, or just waited, to be written with a group. */
  let joined: Member | null = null
  /** Ledger rows that the tables may not have yet. */
  const overlay = new Map<string, LedgerRow | null>()
  let overlayGeneration = writer.generation()

  function compose(entries: readonly Entry[]): readonly ComposedEntry[] {
    return composeEntries(entries, head, { session: id, at: Math.trunc(clock.now()) }, parts.formatEntry)
  }

  /** One write: `fill` writes in a transaction and says which entries it wrote. The first to write makes the session. */
  function plan(reliance: Reliance, fill: Fill): Pick<Member, 'fill' | 'done'> {
    let session = row
    let next = head
    let move: (() => void) | null = null
    return {
      fill: (rows) => {
        session = row ?? rows.newSession(key)
        const last = fill(rows, session).at(-1)
        next = last === undefined ? head : { seq: last.seq, hash: last.hash }
        // What is not synced can be lost with the power, and the anchor must never be ahead of the log.
        move = reliance === 'durable' ? anchorWriter.prepare(next) : null
      },
      done: () => {
        row = session
        head = next
        if (move !== null && row !== null) moveAnchor(move, row)
      },
    }
  }

  /** Whatever this session has asked for before is written first. */
  function getReady(): void {
    if (!isOpen)
      throw new JournalError('closed', `The log of session ${key.name} is closed.`, 'Open it again.')
    if (joined !== null) group.flush()
    writer.guard(anchorWriter.unseal)
  }

  /** Writes in a transaction of its own. */
  function write(reliance: Reliance, fill: Fill): void {
    getReady()
    const planned = plan(reliance, fill)
    writer.write(reliance, planned.fill)
    planned.done()
  }

  function moveAnchor(move: () => void, session: number): void {
    try {
      move()
      if (isNew) parts.noteNew(session)
      isNew = false
    } catch {
      // The entries are there, and the anchor may be behind; the next append moves it.
    }
  }

  function compile(what: Append): Compiled {
    const composed = compose(what.entries)
    const changes = writer.guard(() => ledgerChanges(what, ledger))
    const payloads = [...(what.payloads ?? [])]
    return {
      fill: (rows, session) => {
        if (what.confirm !== undefined) confirm(what.confirm, session)
        for (const entry of composed) rows.entry(session, entry)
        for (const [digest, content] of payloads) rows.payload(digest, bytesOf(content))
        if (changes.length > 0) rows.ledger(session, formatChanges(changes))
        return composed
      },
      noteSeen: () => {
        for (const [path, change] of changes) currentOverlay().set(path, change)
      },
      stored: () => composed.map(({ seq, at, hash, entry }) => ({ session: key, seq, at, hash, entry })),
    }
  }

  function append(what: Append): readonly StoredEntry[] {
    if (joined !== null) group.flush()
    const { fill, noteSeen, stored } = compile(what)
    write(what.reliance, fill)
    noteSeen()
    return stored()
  }

  async function appendTogether(what: Append): Promise<void> {
    getReady()
    const { fill, noteSeen } = compile(what)
    const planned = plan(what.reliance, fill)
    const member: Member = {
      of: parts,
      reliance: what.reliance,
      fill: planned.fill,
      done: () => {
        planned.done()
        noteSeen()
      },
    }
    joined = member
    try {
      await group.join(member)
    } finally {
      if (joined === member) joined = null
    }
  }

  function confirm(agree: NonNullable<Append['confirm']>, session: number): void {
    const otherChanges = writer.unlandedInOtherSessions(session)
    try {
      agree(otherChanges)
    } catch (thrown) {
      throw new CallerThrew(thrown)
    }
  }

  /** What the tables have taken up since is not kept here as well. */
  function currentOverlay(): Map<string, LedgerRow | null> {
    if (overlayGeneration !== writer.generation()) overlay.clear()
    overlayGeneration = writer.generation()
    return overlay
  }

  function ledger(path: string): LedgerRow | null {
    const known = currentOverlay().get(path)
    if (known !== undefined) return known
    if (row === null) return null
    const found = sqlite
      .statement('SELECT digest, at, ranges FROM seen WHERE session = ? AND path = ?')
      .get(row, path)
    if (found === undefined) return null
    const { digest, at, ranges } = found as { digest: string | null; at: number; ranges: string }
    return { path, digest, at, ranges: JSON.parse(ranges) as LedgerRow['ranges'] }
  }

  function erase(what: Erasure): ForgottenEntry {
    writer.fold()
    let entry = forgottenEntry(what, 0, 0)
    write('durable', (rows, session) => {
      foldLog(sqlite)
      const erasable = findPayloadsToErase(sqlite, what.payloads, what.readUpTo)
      entry = forgottenEntry(what, erasable.payloads, erasable.bytes)
      const composed = compose([entry])
      for (const one of composed) rows.entry(session, one)
      erasable.remove()
      return composed
    })
    return entry
  }

  /** Asks the tables, brought up to date, about this session; one without entries has nothing in them. */
  function ask<T>(question: (session: SessionRow) => readonly T[]): readonly T[] {
    writer.fold()
    return writer.guard(() => (row === null ? [] : question({ id: row, key })))
  }

  return {
    key,
    append,
    appendTogether,
    entries: (fromSeq) =>
      row === null ? [] : writer.guardEach(readEntries(sqlite, { id: row, key }, fromSeq)),
    latestSeq: () => head.seq,
    about: (execution) => ask((session) => readAbout(sqlite, session, execution)),
    newestFirst: (kind) =>
      row === null ? [] : writer.guardEach(readNewestFirst(sqlite, { id: row, key }, kind ?? null)),
    payload: parts.payload,
    ledger: (path) => writer.guard(() => ledger(path)),
    openBatches: () => ask(({ id: session }) => readOpenBatches(sqlite, { session })),
    landed: (execution, how = 'in place') =>
      write('recorded', (rows, session) => {
        const isAtRisk = how === 'in place' && parts.isSyncing
        rows.landed(session, execution, isAtRisk ? Math.trunc(clock.now()) : null)
        return []
      }),
    synced: (executions) =>
      write('recorded', (rows, session) => {
        rows.synced(session, executions)
        return []
      }),
    unlanded: () => ask(({ id: session }) => readUnlanded(sqlite, { session })),
    erase,
    breach: describeBreach(),
    close: () => {
      if (!isOpen) return
      if (joined !== null) group.flush()
      isOpen = false
      sealAnchor()
      parts.lock.release()
      parts.noteClosed()
    },
  }

  function sealAnchor(): void {
    try {
      // What could not be synced may be in the log all the same, behind the head that is known here.
      if (writer.isBroken()) anchorWriter.closeUnsealed()
      else anchorWriter.seal(head)
    } catch {
      // Then it looks as if we had been killed, which is no harm either.
    }
  }

  function describeBreach(): Breach | null {
    return anchor.breach === null ? null : { seq: anchor.breach.seq, why: BREACHES[anchor.breach.is] }
  }
}

function formatChanges(changes: readonly LedgerChange[]): string {
  return JSON.stringify(changes.map(([path, row]) => row ?? { path, digest: null, at: null, ranges: null }))
}
