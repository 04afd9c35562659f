import type { Clock } from '../../core/clock.ts'
import type { Lock } from '../../host/db/session-lock.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { createAnchorWriter } from '../chain/anchor-file.ts'
import type { AnchorFile, AnchorWriter } from '../chain/anchor-file.ts'
import { composeEntries, sessionId } from '../chain/chain.ts'
import type { ComposedEntry, Head } from '../chain/chain.ts'
import { needsSeal, sealEnd, sealEntry } from '../chain/sealed-entries.ts'
import type { Witness } from '../chain/witness.ts'
import type { EntryText } from '../entries/entry-text.ts'
import type { Entry, SessionKey } from '../entries/entry.ts'
import { sessionClosed } from '../journal-error.ts'
import type { Reliance, SessionLog } from '../log.ts'
import type { GroupCommit, Member } from './group-commit.ts'
import type { LogWriter } from './log-writer.ts'
import type { EntryRow, Rows } from './rows.ts'

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
  /** The state folder's key. */
  readonly sealKey: SealKey
  /** Is told the head now and then; null if there is no witness. */
  readonly witness: Witness | null
  readonly lock: Lock
  readonly clock: Clock
  /** Whether durable commits are synced. */
  readonly isSyncing: boolean
  readonly payload: SessionLog['payload']
  /** Formats entries; shared by the sessions of a store, so that their findings are stored once. */
  readonly formatEntry: (entry: Entry) => EntryText
  /** Has the anchor know the newest closing; call it in a transaction that is synced before the anchor is written. */
  readonly followClosings: () => void
  /** Lists the session as closed with a head. Call it in a transaction, and the result once that is synced. */
  readonly listClosing: (row: number, head: Head) => () => void
  /** Called once, after the first durable append to a new session. */
  readonly noteNew: (row: number) => void
  readonly noteClosed: () => void
}

/** A witness is told at least this often, for processes that are killed before they close their sessions. */
const WITNESS_ENTRIES = 64

/** Writes in a transaction and returns the entries it wrote. */
export type Fill = (rows: Rows, session: number) => readonly EntryRow[]

/** Writes to one session: it keeps the head of its chain and moves its anchor along. */
export class SessionWriter {
  readonly #deps: SessionDeps
  readonly #id: string
  readonly #anchorWriter: AnchorWriter
  #row: number | null
  #head: Head
  /** The newest head that a power cut cannot take, as far as this store syncs. */
  #durable: Head
  /** The newest of these that is listed as a closing, or that was there when this process opened the session. */
  #listed: Head
  #witnessedSeq: number
  #isNew: boolean
  #isOpen = true
  /** This session's write in the current group, if any. */
  #joined: Member | null = null

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#id = sessionId(deps.key)
    this.#anchorWriter = createAnchorWriter(deps.anchor, deps.isSyncing)
    this.#row = deps.row
    this.#head = deps.head
    this.#durable = deps.head
    this.#listed = deps.head
    this.#witnessedSeq = deps.head.seq
    this.#isNew = deps.row === null
  }

  /** Null until the first entry. */
  get row(): number | null {
    return this.#row
  }

  get latestSeq(): number {
    return this.#head.seq
  }

  /** Places entries in the chain after the newest one. */
  compose(entries: readonly Entry[]): readonly ComposedEntry[] {
    const { clock, formatEntry, sealKey } = this.#deps
    const session = this.#id
    const place = { session, at: Math.trunc(clock.now()) }
    const composed = composeEntries(entries, this.#head, place, formatEntry).map((row) =>
      needsSeal(row.entry) ? { ...row, seal: sealEntry({ ...row, session }, sealKey) } : row,
    )
    return sealEnd(composed, session, sealKey)
  }

  /** Writes whatever this session has joined to a group. */
  flush(): void {
    if (this.#joined !== null) this.#deps.group.flush()
  }

  /** Throws if the log is closed. Otherwise writes everything before and unseals the anchor. */
  prepare(): void {
    const { key, writer } = this.#deps
    if (!this.#isOpen) throw sessionClosed(key)
    this.flush()
    writer.guard(this.#anchorWriter.unseal)
  }

  /** The same, for many sessions at the same time. */
  async prepareLater(): Promise<void> {
    const { key, writer } = this.#deps
    if (!this.#isOpen) throw sessionClosed(key)
    this.flush()
    await this.#anchorWriter.unsealLater().catch((error: unknown) =>
      writer.guard(() => {
        throw error
      }),
    )
  }

  /** Writes in a transaction of its own. */
  write(reliance: Reliance, fill: Fill, isPlain = false): void {
    this.prepare()
    const planned = this.plan(reliance, fill)
    this.#deps.writer.write(reliance, planned.fill, isPlain && this.#canWait(reliance))
    planned.done()
  }

  /** Writes in the group's next transaction; `done` is called right after it, before anything else runs. */
  async join(
    { reliance, isPlain }: { readonly reliance: Reliance; readonly isPlain: boolean },
    fill: Fill,
    done: () => void,
  ): Promise<void> {
    const planned = this.plan(reliance, fill)
    const member: Member = {
      of: this.#deps,
      reliance,
      isPlain: isPlain && this.#canWait(reliance),
      fill: planned.fill,
      done: () => {
        planned.done()
        done()
      },
    }
    this.#joined = member
    try {
      await this.#deps.group.join(member)
    } finally {
      if (this.#joined === member) this.#joined = null
    }
  }

  close(): void {
    if (!this.#isOpen) return
    this.flush()
    this.#isOpen = false
    this.#sealAnchor()
    if (this.#durable.seq > this.#witnessedSeq) this.#tellWitness()
    this.#deps.lock.release()
    this.#deps.noteClosed()
  }

  /** Plans one write. The first write creates the session. One that `closes` lists it as closed in the same transaction. */
  plan(reliance: Reliance, fill: Fill, closes = false): Pick<Member, 'fill' | 'done'> {
    let session = this.#row
    let next = this.#head
    let move: (() => void) | null = null
    let noteClosing: (() => void) | null = null
    return {
      fill: (rows) => {
        session = this.#row ?? rows.newSession(this.#deps.key)
        const last = fill(rows, session).at(-1)
        next = last === undefined ? this.#head : { seq: last.seq, hash: last.hash }
        if (reliance === 'durable' && this.#durable === this.#deps.head) this.#deps.followClosings()
        // A power cut can lose what is not synced, and the anchor must never be ahead of the log.
        move = reliance === 'durable' ? this.#anchorWriter.prepare(next) : null
        if (closes && this.#deps.isSyncing) noteClosing = this.#deps.listClosing(session, next)
      },
      done: () => {
        this.#row = session
        this.#head = next
        if (move !== null && session !== null) this.#moveAnchor(move, session)
        if (noteClosing === null) return
        noteClosing()
        this.#listed = next
      },
    }
  }

  /** The first durable write has the anchor know the closings, so it has to sync the database itself. */
  #canWait(reliance: Reliance): boolean {
    return this.#row !== null && (reliance === 'recorded' || this.#durable !== this.#deps.head)
  }

  #moveAnchor(move: () => void, session: number): void {
    try {
      move()
      if (this.#isNew) this.#deps.noteNew(session)
      this.#isNew = false
      this.#durable = this.#head
      if (this.#durable.seq - this.#witnessedSeq >= WITNESS_ENTRIES) this.#tellWitness()
    } catch {
      // The entries are written and the anchor may lag behind; the next append moves it.
    }
  }

  #tellWitness(): void {
    this.#deps.witness?.note(this.#id, this.#durable, this.#deps.isSyncing)
    this.#witnessedSeq = this.#durable.seq
  }

  #sealAnchor(): void {
    try {
      // What could not be synced may still be in the log, after the head that is known here.
      if (this.#deps.writer.isBroken() || !this.#listClosing()) this.#anchorWriter.closeUnsealed()
      else this.#anchorWriter.seal(this.#head)
    } catch {
      // An unsealed anchor looks as if the process had been killed, which does no harm.
    }
  }

  /**
   * Lists the end of the log; false if that failed. Without it, the closing before still holds. What was only recorded
   * so far becomes durable with it, so that nothing can be cut off a closed log.
   */
  #listClosing(): boolean {
    const { isSyncing, listClosing, writer } = this.#deps
    const [row, head] = [this.#row, this.#head]
    if (!isSyncing || row === null || head.seq === this.#listed.seq) return true
    try {
      // Entries that have no place in the log cannot be its end.
      const note = writer.write('durable', (rows) => (rows.isContested(row) ? null : listClosing(row, head)))
      if (note === null) return false
      note()
      this.#durable = head
      return true
    } catch {
      return false
    }
  }
}
