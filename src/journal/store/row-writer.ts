import { Buffer } from 'node:buffer'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { bytesOf } from '../entries/content.ts'
import type { Content } from '../entries/content.ts'
import type { Digest, FileChange, SessionKey } from '../entries/entry.ts'
import type { SharedFindings } from '../entries/entry-text.ts'
import { storeFindings } from '../entries/shared-findings.ts'
import { JournalError } from '../journal-error.ts'
import { readFolded, readLastRow } from './fold-log.ts'
import type { EntryRow, Rows } from './rows.ts'
import { watchUnlanded } from './watch-unlanded.ts'

const INSERT_SEAL = 'INSERT OR REPLACE INTO changes_seal VALUES (?, ?, ?)'
const INSERT_END = 'INSERT OR REPLACE INTO end_seal VALUES (?, ?, ?)'
const INSERT_ENTRY =
  'INSERT INTO log (kind, session, seq, at, hash, calls, lands, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
const INSERT_PAYLOAD =
  "INSERT INTO log (kind, hash, body) SELECT 'payload', ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM payload_place WHERE digest = ?1)"
/** A content that another program put under the digest of one that came later; the right one takes its place. */
const CORRECT_PAYLOAD = "UPDATE log SET body = ?2 WHERE id = ?1 AND kind = 'payload' AND body IS NOT ?2"
const INSERT_OTHER = 'INSERT INTO log (kind, session, at, calls, body) VALUES (?, ?, ?, ?, ?)'

/** What a transaction has learned; it counts once the transaction is committed. */
interface Pending {
  newest: number
  isFirst: boolean
  /** Null unless another process has written since our last transaction. */
  folded: number | null
  readonly payloads: Map<Digest, number>
  /** The newest entry of each session that was found to be untaken; only this transaction can have written the next one. */
  readonly untaken: Map<number, number>
  readonly findings: string[]
}

/** Writes rows, and caches facts about the log that would be slow to query each time. */
export class RowWriter implements Rows {
  readonly #sqlite: Sqlite
  readonly #unlanded
  #lastRow: number
  #folded: number
  #generation = 0
  #pending: Pending
  /** Payloads in rows that are not in the tables yet. */
  readonly #recent = new Map<Digest, number>()
  /** Those of them that another process wrote, which nothing has compared with their digest. */
  readonly #foreign = new Set<Digest>()
  /** How often rows of another process were found, and up to which of these times each session was checked. */
  #catchUps = 0
  readonly #checkedFor = new Map<number, number>()
  /** Lists of findings that are known to be stored. */
  readonly #shared = new Set<string>()
  /** Sessions that another process has written to while this one owned them. */
  readonly #contested = new Set<number>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
    this.#unlanded = watchUnlanded(sqlite)
    this.#lastRow = readLastRow(sqlite)
    this.#folded = readFolded(sqlite)
    this.#pending = pendingAfter(this.#lastRow)
  }

  /** Increases whenever the tables have caught up with everything this process wrote. */
  get generation(): number {
    return this.#generation
  }

  /** How many rows are not in the tables yet, as far as this transaction knows. */
  get unfolded(): number {
    return this.#pending.newest - (this.#pending.folded ?? this.#folded)
  }

  /** Called when a transaction begins; drops what an uncommitted one left. */
  begin(): void {
    this.#pending = pendingAfter(this.#lastRow)
    this.#unlanded.begin()
  }

  /** Called when the transaction is committed; `isFolded` says whether it brought the tables up to date. */
  commit(isFolded: boolean): void {
    const { newest, folded, payloads, untaken, findings } = this.#pending
    this.#lastRow = newest
    this.#unlanded.commit()
    for (const list of findings) this.#shared.add(list)
    for (const session of untaken.keys()) this.#checkedFor.set(session, this.#catchUps)
    if (folded !== null) {
      this.#folded = folded
      this.#recent.clear()
    }
    if (isFolded) this.noteFold(newest)
    else for (const [digest, row] of payloads) this.#recent.set(digest, row)
  }

  /** Called when the tables include everything up to this row. */
  noteFold(upTo: number): void {
    this.#folded = upTo
    this.#generation++
    this.#recent.clear()
    this.#foreign.clear()
  }

  /** Changes that other sessions have committed but not landed; call it in a transaction. */
  unlandedInOtherSessions(session: number): readonly FileChange[] {
    return this.#unlanded.inOtherSessions(session)
  }

  /** The row of a payload; null if it is not stored. */
  payloadRow(digest: Digest): number | null {
    const known = this.#recent.get(digest)
    if (known !== undefined) return known
    const blob = Buffer.from(digest, 'hex')
    const row =
      this.#sqlite.statement('SELECT id FROM payload_place WHERE digest = ?').get(blob) ??
      this.#sqlite
        .statement("SELECT id FROM log WHERE id > ? AND kind = 'payload' AND hash = ?")
        .get(this.#folded, blob)
    return row === undefined ? null : Number(row['id'])
  }

  /** Whether a list of findings is known to be stored. */
  isShared({ digest, tool }: SharedFindings): boolean {
    return this.#shared.has(`${digest} ${tool}`)
  }

  /** Called when entries of another process were found in a session that this one owns. */
  noteContested(session: number): void {
    this.#contested.add(session)
  }

  isContested(session: number): boolean {
    return this.#contested.has(session)
  }

  newSession({ root, name }: SessionKey): number {
    const insert = this.#sqlite.statement('INSERT INTO session (root, name) VALUES (?, ?) RETURNING id')
    return Number(insert.get(root, name)?.['id'])
  }

  entry(session: number, entry: EntryRow): void {
    if (this.#contested.has(session)) throw sessionTaken()
    const { seq, at, kind, hash, executions, hasChanges, seal, end, body, packedAs, shared } = entry
    const calls = executions.length === 0 ? null : JSON.stringify(executions)
    const { lastInsertRowid } = this.#sqlite
      .statement(INSERT_ENTRY)
      .run(kind, session, seq, at, Buffer.from(hash, 'hex'), calls, hasChanges ? 1 : null, packedAs ?? body)
    const row = Number(lastInsertRowid)
    this.#follow(row)
    this.#requireUntaken(session, seq, row)
    this.#unlanded.addEntry(session, entry)
    if (seal !== undefined) this.#sqlite.statement(INSERT_SEAL).run(session, seq, seal)
    if (end !== undefined) this.#sqlite.statement(INSERT_END).run(session, seq, end)
    const list = shared === null ? '' : `${shared.digest} ${shared.tool}`
    if (shared === null || this.#shared.has(list)) return
    storeFindings(this.#sqlite, shared)
    this.#pending.findings.push(list)
  }

  payload(digest: Digest, content: Content): void {
    if (this.#pending.isFirst) this.#catchUpWithOthers()
    if (this.#isStored(digest)) {
      if (this.#foreign.delete(digest)) this.#correct(digest, bytesOf(content))
      return
    }
    const bytes = bytesOf(content)
    const { changes, lastInsertRowid } = this.#sqlite
      .statement(INSERT_PAYLOAD)
      .run(Buffer.from(digest, 'hex'), bytes)
    if (changes === 0) return this.#correct(digest, bytes)
    this.#pending.newest = Number(lastInsertRowid)
    this.#pending.payloads.set(digest, this.#pending.newest)
  }

  ledger(session: number, body: string): void {
    const { lastInsertRowid } = this.#sqlite.statement(INSERT_OTHER).run('ledger', session, null, null, body)
    this.#follow(Number(lastInsertRowid))
  }

  landed(session: number, execution: string, at: number | null): void {
    this.#unlanded.addLanding(session, execution)
    const { lastInsertRowid } = this.#sqlite
      .statement(INSERT_OTHER)
      .run('landed', session, at, JSON.stringify([execution]), null)
    this.#follow(Number(lastInsertRowid))
  }

  synced(session: number, executions: readonly string[]): void {
    const { lastInsertRowid } = this.#sqlite
      .statement(INSERT_OTHER)
      .run('synced', session, null, JSON.stringify(executions), null)
    this.#follow(Number(lastInsertRowid))
  }

  /** A gap before our row number means that another process has written. */
  #follow(row: number): void {
    if (this.#pending.isFirst && row !== this.#lastRow + 1) this.#catchUp(row)
    this.#pending.isFirst = false
    this.#pending.newest = row
  }

  #catchUpWithOthers(): void {
    this.#pending.newest = readLastRow(this.#sqlite)
    if (this.#pending.newest !== this.#lastRow) this.#catchUp(this.#pending.newest + 1)
    this.#pending.isFirst = false
  }

  /** Reads what other processes have written, up to this row. */
  #catchUp(before: number): void {
    this.#catchUps++
    this.#pending.folded = readFolded(this.#sqlite)
    const rows = this.#sqlite
      .statement("SELECT id, hash FROM log WHERE id > ? AND id < ? AND kind = 'payload'")
      .all(this.#pending.folded, before)
    for (const row of rows) {
      const digest = Buffer.from(row['hash'] as Uint8Array).toString('hex')
      this.#pending.payloads.set(digest, Number(row['id']))
      this.#foreign.add(digest)
    }
  }

  #correct(digest: Digest, bytes: Uint8Array): void {
    const row = this.#pending.payloads.get(digest) ?? this.payloadRow(digest)
    if (row !== null) this.#sqlite.statement(CORRECT_PAYLOAD).run(row, bytes)
  }

  /** Once others have written, what was known before may have been erased by them. */
  #isStored(digest: Digest): boolean {
    const { payloads, folded } = this.#pending
    return payloads.has(digest) || (folded === null && this.#recent.has(digest))
  }

  /** Only the owner may write to a session. Looks for entries of others in the tables and in the rows after them. */
  #requireUntaken(session: number, seq: number, row: number): void {
    if ((this.#checkedFor.get(session) ?? 0) === this.#catchUps) return
    const { untaken } = this.#pending
    const isNext = untaken.get(session) === seq - 1
    untaken.set(session, seq)
    if (isNext) return
    const others = this.#sqlite.statement(
      `SELECT 1 FROM place WHERE session = ?1 AND seq >= ?2
       UNION ALL SELECT 1 FROM log WHERE id > ?3 AND id < ?4 AND session = ?1 AND seq >= ?2 LIMIT 1`,
    )
    if (others.get(session, seq, readFolded(this.#sqlite), row) !== undefined) throw sessionTaken()
  }
}

function sessionTaken(): JournalError {
  return new JournalError(
    'session_taken',
    'Another process has written to this session while this process owned it.',
    'Try again; if it happens again, look for a program that removes files in the state folder.',
  )
}

function pendingAfter(lastRow: number): Pending {
  return {
    newest: lastRow,
    isFirst: true,
    folded: null,
    payloads: new Map(),
    untaken: new Map(),
    findings: [],
  }
}
