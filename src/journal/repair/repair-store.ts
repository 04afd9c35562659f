import type { Clock } from '../../core/clock.ts'
import { copyPrivately, identityOf, sizeOf } from '../../host/fs/private-files.ts'
import { openSqlite } from '../../host/db/sqlite.ts'
import { takeLock } from '../../host/db/session-lock.ts'
import { judgeAnchor, judgeKnown } from '../chain/anchor.ts'
import type { AnchorBreach } from '../chain/anchor.ts'
import { readAnchor } from '../chain/anchor-file.ts'
import { forgetKnown, readAnchors } from '../chain/all-anchors.ts'
import { checkLinks, listClosings } from '../chain/check-closings.ts'
import { CHAIN_START, sessionId } from '../chain/chain.ts'
import { listUnlisted } from '../chain/list-heads.ts'
import { findAdded } from '../chain/sealed-entries.ts'
import { sealedEntry } from '../chain/seals.ts'
import type { FirstBad } from '../chain/verify-report.ts'
import { verifyStore } from '../chain/verify-store.ts'
import { openWitness } from '../chain/witness.ts'
import { defineEntryText } from '../entries/packed-entries.ts'
import { explainFault } from '../explain-fault.ts'
import { createChainAppender, GRANT_CHAIN } from '../grants/grant-chain.ts'
import type { GrantChainDeps } from '../grants/grant-chain.ts'
import { JournalError } from '../journal-error.ts'
import { acceptKept } from '../segments/find-damaged.ts'
import { emptyUnreadableMarks } from '../store/fold-log.ts'
import { createLogWriter } from '../store/log-writer.ts'
import { openState } from '../store/open-state.ts'
import { readHash, readHead } from '../store/read-log.ts'
import type { SessionRow } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'
import { REPAIR_MARK, stateFiles } from '../store/state-files.ts'
import type { StateFiles } from '../store/state-files.ts'
import { askSqlite } from './ask-sqlite.ts'
import { askWitness } from './ask-witness.ts'
import { describeSchemaFault } from './check-schema.ts'
import { findDamage, removeWrongContents } from './find-damage.ts'
import { mendOrder } from './mend-order.ts'
import { rebuildTables, restoreSchema } from './rebuild-tables.ts'

/** What a repair did. */
export interface RepairReport {
  /** Whether the journal verifies now. */
  readonly ok: boolean
  /** Where the database was copied to before; null if there is none. */
  readonly copy: string | null
  /** Clauses about the schema that was mended. */
  readonly mended: readonly string[]
  readonly sealed: readonly {
    readonly session: string
    readonly root: string
    readonly entries: number
    readonly contents: number
    /** What the anchor found wrong before; null if nothing. */
    readonly breach: string | null
  }[]
  /** Whether all grants were dropped, because nothing vouches for them any more. */
  readonly drops_grants: boolean
  /** What the witness knew before the repair that the journal did not hold; absent if there is no witness. */
  readonly witness?: readonly string[]
  /** What is still wrong, also by the witness. */
  readonly first_bad: FirstBad | null
}

/**
 * Rebuilds what can be derived from the log, and seals what is damaged: an entry of the session records which entries
 * and contents are lost, and the chain goes on after them. The database is copied first. `witness` is the file that was
 * told the heads; empty if there is none.
 */
export async function repairStore(stateDir: string, clock: Clock, witness = ''): Promise<RepairReport> {
  const files = stateFiles(stateDir)
  try {
    if (identityOf(files.database) === null) {
      const { ok, first_bad } = verifyStore(stateDir, { witness })
      return { ok, copy: null, mended: [], sealed: [], drops_grants: false, first_bad }
    }
    const copy = copyDatabase(files, clock)
    const mended = mendDatabase(files)
    const done = await sealDamage(files, clock, witness)
    const { ok, first_bad } = verifyStore(stateDir, { witness })
    return { ok, copy, mended, ...done, first_bad }
  } catch (error) {
    throw explainFault(error, stateDir)
  }
}

function copyDatabase(files: StateFiles, clock: Clock): string {
  const copy = `${files.database}${REPAIR_MARK}${new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')}`
  copyPrivately(files.database, copy)
  if (sizeOf(files.writeAheadLog) !== null) copyPrivately(files.writeAheadLog, `${copy}-wal`)
  return copy
}

const BUSY_MS = 10_000

function mendDatabase(files: StateFiles): readonly string[] {
  const sqlite = openSqlite(files.database, { busyMs: BUSY_MS })
  defineEntryText(sqlite)
  try {
    if (askSqlite(sqlite) !== null) sqlite.run('REINDEX; VACUUM')
    const still = askSqlite(sqlite)
    if (still !== null) throw cannot(files, still)
    const { mended, left } = sqlite.transact(true, () => restoreSchema(sqlite))
    const [fault] = left
    if (fault !== undefined) throw cannot(files, describeSchemaFault(fault))
    sqlite.transact(true, () => {
      removeWrongContents(sqlite)
      mendOrder(sqlite)
      rebuildTables(sqlite)
    })
    return mended.map(describeSchemaFault)
  } finally {
    sqlite.close()
  }
}

function cannot(files: StateFiles, why: string): JournalError {
  return new JournalError(
    'damaged',
    `The journal ${files.database} cannot be repaired: ${why}.`,
    `Restore a backup, or move the folder ${files.folder} away to start a new journal.`,
  )
}

async function sealDamage(
  files: StateFiles,
  clock: Clock,
  witness: string,
): Promise<Pick<RepairReport, 'sealed' | 'drops_grants' | 'witness'>> {
  const { database, key, anchorSession, anchorClosing } = openState(files)
  const { sqlite } = database
  try {
    const writer = createLogWriter(database, files, { isSyncing: true })
    writer.removeEnded()
    writer.fold()
    sqlite.transact(true, () => emptyUnreadableMarks(sqlite))
    acceptKept(files.segments)
    const missed = witness === '' ? {} : { witness: askWitness(witness, { sqlite, key, id: database.id }) }
    const deps: GrantChainDeps = {
      sqlite,
      writer,
      files,
      key,
      database: database.id,
      clock,
      isSyncing: true,
      witness: witness === '' ? null : openWitness(witness, key, database.id),
      anchorSession,
      anchorClosing,
      knownClosings: () => [],
    }
    const damage = new Map(findDamage(sqlite, key).map((found) => [sessionId(found.key), found]))
    const closings = restartClosings(deps)
    const sealed: RepairReport['sealed'][number][] = []
    let drops_grants = false
    for (const session of sessionsToSeal(deps, closings)) {
      const id = sessionId(session.key)
      const { spans = [], contents = [] } = damage.get(id) ?? {}
      const lock = await takeLock(files.lockOf(id), BUSY_MS, clock.now)
      if (!lock.isHeld) continue
      try {
        const breach = findBreach(deps, session) ?? closings.get(id) ?? null
        if (spans.length === 0 && contents.length === 0 && breach === null) continue
        const isOfGrants = session.key.root === GRANT_CHAIN.root
        drops_grants ||= isOfGrants
        createChainAppender(
          deps,
          session.key,
          true,
        )([sealedEntry(spans, contents, breach)], () => {
          if (isOfGrants) sqlite.run('DELETE FROM grants')
        })
        sealed.push({
          session: session.key.name,
          root: session.key.root,
          entries: spans.reduce((sum, { from, to }) => sum + to - from + 1, 0),
          contents: contents.length,
          breach: breach?.is ?? null,
        })
      } finally {
        lock.lock.release()
      }
    }
    const listed = closings.size === 0 ? null : listUnlisted(files, database, key)
    if (listed !== null) anchorClosing(listed)
    return { sealed, drops_grants, ...missed }
  } finally {
    sqlite.close()
  }
}

function findBreach(
  { sqlite, files, key, database }: GrantChainDeps,
  session: SessionRow,
): AnchorBreach | null {
  const id = sessionId(session.key)
  const read = readAnchor(files.anchorOf(id), key)
  const head = readHead(sqlite, session) ?? { seq: 0, hash: CHAIN_START }
  const end = { lastSeq: head.seq, hashAt: (seq: number) => readHash(sqlite, session, seq) }
  const addedAfter = findAdded(sqlite, key, { row: session.id, session: id }, end)
  const view = { database, ...end, addedAfter }
  return judgeAnchor(typeof read === 'string' || read.of === id ? read : 'forged', view)
}

/**
 * What the closings say against sessions, by chain id. If they say anything, they are dropped, and all sessions are
 * listed anew at the end. Closings that do not verify may hide that any chain was put back, that of grants included.
 */
function restartClosings({ sqlite, files, key }: GrantChainDeps): ReadonlyMap<string, AnchorBreach> {
  const listed = listClosings(sqlite)
  const breaches = new Map<string, AnchorBreach>()
  for (const session of readSessions(sqlite)) {
    const id = sessionId(session.key)
    const lastSeq = readHead(sqlite, session)?.seq ?? 0
    const breach = judgeKnown(listed.of(id), { lastSeq, hashAt: (seq) => readHash(sqlite, session, seq) })
    if (breach !== null) breaches.set(id, breach)
  }
  if (checkLinks(sqlite, listed, readAnchors(files, key).values(), key) !== null)
    breaches.set(sessionId(GRANT_CHAIN), { seq: 0, is: 'unlisted' })
  if (breaches.size === 0) return breaches
  sqlite.transact(true, () => sqlite.run('DELETE FROM closing'))
  forgetKnown(files, key)
  return breaches
}

/** The sessions, and the chain of grants if there is something to record in it. */
function sessionsToSeal(
  { sqlite }: GrantChainDeps,
  breaches: ReadonlyMap<string, AnchorBreach>,
): readonly SessionRow[] {
  const sessions = readSessions(sqlite)
  const hasGrants = sessions.some(({ key: { root } }) => root === GRANT_CHAIN.root)
  const isNeeded = !hasGrants && breaches.has(sessionId(GRANT_CHAIN))
  return isNeeded ? [...sessions, { id: NO_ROW, key: GRANT_CHAIN }] : sessions
}

/** No session has this row. */
const NO_ROW = 0
