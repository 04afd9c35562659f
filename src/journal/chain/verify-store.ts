import type { SealKey } from '../../host/system/hash.ts'
import { identityOf, sizeOf } from '../../host/fs/private-files.ts'
import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import { BREACHES, judgeAnchor } from './anchor.ts'
import type { AnchorBreach, FoundAnchor } from './anchor.ts'
import { readAnchor, readAnchorLabel, readKey } from './anchor-file.ts'
import { readAnchors } from './all-anchors.ts'
import { sessionId } from './chain.ts'
import type { Head } from './chain.ts'
import { checkChains } from './check-chains.ts'
import type { CheckedChain } from './check-chains.ts'
import { checkLinks, findPutBack, listClosings } from './check-closings.ts'
import { compareWitness, hearWitness } from './check-witness.ts'
import { entryFault, NOTHING, report, sealedHead, storeFault, unknownHead } from './verify-report.ts'
import type { FirstBad, Found, VerifyReport } from './verify-report.ts'
import type { Digest, SessionKey } from '../entries/entry.ts'
import { explainFault } from '../explain-fault.ts'
import { GRANT_CHAIN } from '../grants/grant-chain.ts'
import { findForgedGrant } from '../grants/sqlite-grants.ts'
import { JournalError } from '../journal-error.ts'
import { askSqlite } from '../repair/ask-sqlite.ts'
import { copyToRead } from '../access/copy-to-read.ts'
import { findRefusal } from '../access/find-refusal.ts'
import { readMovedRoot } from '../access/moved-root.ts'
import { findDamaged, findKept } from '../segments/find-damaged.ts'
import { findSegments, isWaiting } from '../segments/read-segments.ts'
import { takeUpOthers } from '../segments/take-up-others.ts'
import { findUnreadableMark } from '../store/fold-log.ts'
import { RowWriter } from '../store/row-writer.ts'
import { openDatabase } from '../store/open-database.ts'
import type { JournalDatabase } from '../store/open-database.ts'
import { sessionCount } from '../store/open-state.ts'
import { findTraces, stateFiles } from '../store/state-files.ts'
import { readKept } from '../access/kept-values.ts'
import type { StateFiles } from '../store/state-files.ts'

/** What to check. */
export interface VerifyOptions {
  /** All sessions if absent. */
  readonly session?: SessionKey
  /** A head or the hash of an entry from earlier, which has to be in the log. */
  readonly since?: Digest | undefined
  /** The file that was told the heads; empty or absent if there is none. */
  readonly witness?: string | undefined
}

/** Checks every chain against its entries, its payloads and its anchor. Changes nothing, and does not disturb processes that are writing. */
export function verifyStore(stateDir: string, options: VerifyOptions = {}): VerifyReport {
  if (findRefusal(stateDir) === null) return verifyHere(stateDir, options)
  const copy = copyToRead(stateDir)
  try {
    return verifyHere(copy.stateDir, options)
  } finally {
    copy.remove()
  }
}

function verifyHere(stateDir: string, options: VerifyOptions): VerifyReport {
  const files = stateFiles(stateDir)
  try {
    if (identityOf(files.database) === null) {
      const traces = findTraces(stateDir)
      return checkEmpty(traces === null ? null : `the journal ${traces}`, options)
    }
    const key = readKey(files.key)
    const anchors = key === null ? new Map<string, FoundAnchor>() : readAnchors(files, key)
    const database = openToCheck(files)
    if (typeof database === 'string') return report(NOTHING, storeFault(database))
    try {
      const fault = takeUpSegments(files, database)
      if (fault !== null) return report(NOTHING, fault)
      database.sqlite.run('BEGIN')
      return check({ files, database, key, anchors }, options)
    } finally {
      database.sqlite.close()
    }
  } catch (error) {
    throw explainFault(error, stateDir)
  }
}

/** What processes have recorded in front of the database belongs to the log; says what of it does not fit into it. */
function takeUpSegments(files: StateFiles, { sqlite, id }: JournalDatabase): FirstBad | null {
  const [kept] = findKept(files.segments)
  if (kept !== undefined) return storeFault(kept)
  const place = { sqlite, folder: files.segments, database: id }
  const segments = findSegments(place, null)
  const waiting = segments.filter((segment) => isWaiting(sqlite, segment))
  const damage = whileReadable(() => {
    if (waiting.length > 0) sqlite.transact(false, () => takeUpOthers(sqlite, new RowWriter(sqlite), waiting))
    return { damaged: findDamaged(place, segments) }
  })
  if (typeof damage === 'string') return storeFault(damage)
  return damage.damaged === null ? null : storeFault(damage.damaged)
}

/** A damaged or altered database is what this is here to report. */
function openToCheck(files: StateFiles): JournalDatabase | string {
  try {
    return openDatabase(files)
  } catch (error) {
    if (error instanceof JournalError && (error.code === 'damaged' || error.code === 'altered'))
      return error.message
    throw error
  }
}

/** The session as the log names it: its root may have been another when it was recorded. */
function onRecord(
  { root, name }: SessionKey,
  { database: { sqlite }, key }: Pick<Looked, 'database' | 'key'>,
): SessionKey {
  const readValue = (value: string): string | null => (key === null ? null : readKept(sqlite, key, value))
  const moved = readMovedRoot({ readValue }, root)
  return { root: moved?.recordedAs ?? root, name }
}

/** What is checked against each other. */
interface Evidence {
  readonly files: StateFiles
  readonly database: JournalDatabase
  readonly key: SealKey
  /** By path, as they were before the log was read. */
  readonly anchors: ReadonlyMap<string, FoundAnchor>
}

/** Without a journal, whatever is known from earlier is missing. */
function checkEmpty(why: string | null, { since, witness }: VerifyOptions): VerifyReport {
  if (why !== null) return report(NOTHING, storeFault(why))
  if (since !== undefined) return report(NOTHING, unknownHead(since))
  const isTold = (witness ?? '') !== '' && (sizeOf(witness ?? '')?.bytes ?? 0) > 0
  return report(
    NOTHING,
    isTold ? storeFault(`there is no journal, but the witness ${witness} knows one`) : null,
  )
}

/** The same before it is known whether there is a key. */
type Looked = Omit<Evidence, 'key'> & { readonly key: SealKey | null }

function check(found: Looked, { session, since, witness = '' }: VerifyOptions): VerifyReport {
  const { files, database, key, anchors } = found
  const only = session === undefined ? null : onRecord(session, found)
  const testimony = witness === '' || key === null ? null : hearWitness(witness, key, database.id)
  const told = testimony === null || typeof testimony === 'string' ? null : testimony
  const damage = askSqlite(database.sqlite)
  const checked = whileReadable(() => {
    const closings = listClosings(database.sqlite)
    const read = checkChains(database.sqlite, {
      only,
      sealedBy: key,
      known: since ?? null,
      wanted: (id) =>
        wantedPlaces(anchors.get(files.anchorOf(id)), [...(told?.heads.get(id) ?? []), ...closings.of(id)]),
    })
    return { ...read, closings }
  })
  if (typeof checked === 'string') return report(NOTHING, storeFault(damage ?? checked))
  const { chains, closings, events, bad, erased, sealed, breaches, head, known, isKnownSealed } = checked
  const begun = chains.filter((chain) => chain.lastSeq > 0 && chain.key.root !== GRANT_CHAIN.root).length
  const facts: Found = {
    events,
    sessions: begun,
    erased,
    sealed,
    breaches,
    head: { events, hash: head },
    since: since === undefined || known === null ? null : { hash: since, entries_after: events - known },
    witness: told === null ? null : { heads: told.lines, other_journals: told.others, torn_lines: told.torn },
  }
  const done = (first: FirstBad | null): VerifyReport => report(facts, first)
  if (bad !== null) return report({ ...facts, head: null }, entryFault(bad.key, bad.seq, bad.why))
  if (damage !== null) return done(storeFault(damage))
  if (key === null)
    return done(storeFault('the key is missing or cut short, so the journal cannot be verified'))
  const evidence: Evidence = { ...found, key }
  for (const chain of chains) {
    const breach = checkAnchor(chain, evidence)
    if (breach !== null) return done(entryFault(chain.key, breach.seq, BREACHES[breach.is]))
  }
  const put = findPutBack(chains, closings)
  if (put !== null) return done(put)
  const whole =
    only === null
      ? (checkMarks(evidence) ??
        checkWhole(chains, evidence) ??
        checkLinks(database.sqlite, closings, anchors.values(), key) ??
        checkGrants(evidence))
      : null
  if (whole !== null) return done(whole)
  if (typeof testimony === 'string') return done(storeFault(testimony))
  const contradiction = told === null ? null : compareWitness(told, chains, only)
  if (contradiction !== null) return done(contradiction)
  if (since === undefined || known !== null) return done(null)
  return done(isKnownSealed ? sealedHead(since) : unknownHead(since))
}

/** What it reads, or what SQLite says about damage in the way. */
function whileReadable<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (sqliteFaultOf(error) !== 'damaged') throw error
    return `the database is damaged: ${error instanceof Error ? error.message : String(error)}`
  }
}

function wantedPlaces(anchor: FoundAnchor | undefined, told: readonly Head[]): ReadonlySet<number> {
  const anchored =
    anchor === undefined || typeof anchor === 'string' ? [] : [anchor.head.seq, anchor.synced.seq]
  return new Set([...anchored, ...told.map(({ seq }) => seq)])
}

function checkGrants({ files, database, key }: Evidence): FirstBad | null {
  const forged = findForgedGrant({
    files,
    key,
    sqlite: database.sqlite,
    database: database.id,
    knownClosings: () => [],
  })
  return forged === null ? null : storeFault(`grant ${forged.id} does not count: ${forged.why}`)
}

/** Marks beside the chain give no rights; one that cannot be read was damaged or put in all the same. */
function checkMarks({ database }: Evidence): FirstBad | null {
  const mark = findUnreadableMark(database.sqlite)
  if (mark === null) return null
  return storeFault(
    `row ${mark.id} of the log, a mark of kind ${mark.kind}, cannot be read: it was changed or inserted`,
  )
}

function checkAnchor(chain: CheckedChain, { files, database, key, anchors }: Evidence): AnchorBreach | null {
  const path = files.anchorOf(chain.id)
  const known = anchors.get(path)
  // A session that started after the anchors were read has one by now, which may be ahead of the log that we see.
  const found = known ?? readAnchor(path, key)
  const view = {
    database: database.id,
    lastSeq: chain.lastSeq,
    hashAt: chain.statedAt,
    addedAfter: chain.addedAfter,
  }
  if (known === undefined) return typeof found === 'string' ? judgeAnchor(found, view) : null
  return judgeAnchor(typeof found === 'string' || found.of === chain.id ? found : 'forged', view)
}

/** A session that is gone as a whole leaves its anchor behind, or is missing from the count in the store's anchor. */
function checkWhole(
  chains: readonly CheckedChain[],
  { files, database, key, anchors }: Evidence,
): FirstBad | null {
  const known = new Set(chains.map(({ id }) => files.anchorOf(id)))
  for (const [path, anchor] of anchors) {
    if (
      path === files.storeAnchor ||
      known.has(path) ||
      (typeof anchor !== 'string' && anchor.synced.seq === 0)
    )
      continue
    return entryFault(readLabel(path), 1, 'is missing with its whole session')
  }
  const breach = judgeAnchor(
    anchors.get(files.storeAnchor) ?? readAnchor(files.storeAnchor, key),
    sessionCount(database),
  )
  if (breach === null) return null
  return storeFault(
    breach.is === 'cut'
      ? 'whole sessions are missing: they were removed, or an old copy was put back'
      : `every session ${BREACHES[breach.is]}`,
  )
}

function readLabel(path: string): SessionKey | null {
  try {
    const [root, name] = JSON.parse(readAnchorLabel(path) ?? '') as readonly string[]
    if (root === undefined || name === undefined) return null
    return stateFiles('')
      .anchorOf(sessionId({ root, name }))
      .endsWith(path.slice(path.lastIndexOf('/')))
      ? { root, name }
      : null
  } catch {
    return null
  }
}
