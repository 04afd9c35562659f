import type { Clock } from '../../core/clock.ts'
import { grantText } from '../../core/grant.ts'
import type { Grant } from '../../core/grant.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { digest } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { judgeAnchor, judgeKnown } from '../chain/anchor.ts'
import { openAnchor, readAnchor } from '../chain/anchor-file.ts'
import type { AnchorFile, AnchorPlace } from '../chain/anchor-file.ts'
import { CHAIN_START, chainHash, composeEntries, sessionId } from '../chain/chain.ts'
import type { Head } from '../chain/chain.ts'
import { appendClosing, lastClosing, viewClosings } from '../chain/closings.ts'
import { sealEnd } from '../chain/sealed-entries.ts'
import type { EntryPlace } from '../chain/sealed-entries.ts'
import { isSealedNote, sealNote } from '../chain/sealed-notes.ts'
import { findSpan, readSeals, SEALED } from '../chain/seals.ts'
import type { Witness } from '../chain/witness.ts'
import type { Digest, NoteEntry, SessionKey } from '../entries/entry.ts'
import { foldLog } from '../store/fold-log.ts'
import type { LogWriter } from '../store/log-writer.ts'
import { hexOf, readHash, readHead } from '../store/read-log.ts'
import { findSession } from '../store/read-state.ts'
import type { StateFiles } from '../store/state-files.ts'

/** The chain of all grants. No session of a caller can have it, because a root is never empty. */
export const GRANT_CHAIN: SessionKey = { root: '', name: 'grants' }

/** What the chain says about grants. */
export interface GrantHistory {
  /** By id: the digest of the grant as it was given. */
  readonly given: ReadonlyMap<string, Digest>
  readonly revoked: ReadonlySet<string>
  /** By what it is: the digest of the text that was trusted last, unless that trust ended since. */
  readonly trusted: ReadonlyMap<string, Digest>
  /** The names of answers that were taken back before they counted. */
  readonly withdrawn: ReadonlySet<string>
  /** False if the chain does not hold, so that nothing in it counts. */
  readonly isWhole: boolean
}

/** Records what becomes of grants in a chain of their own, which every process may append to. */
export interface GrantChain {
  readonly read: () => GrantHistory
  /** Writes rows and the events about them in one transaction. */
  readonly append: (events: readonly NoteEntry[], write: () => void) => void
}

/** What the chain needs of its store. */
export interface GrantChainDeps {
  readonly sqlite: Sqlite
  readonly writer: LogWriter
  readonly files: StateFiles
  readonly key: SealKey
  /** The database's id. */
  readonly database: string
  readonly clock: Clock
  readonly isSyncing: boolean
  readonly witness: Witness | null
  /** Counts a new session in the store's anchor. */
  readonly anchorSession: (row: number, isSynced: boolean) => void
  /** Has the store's anchor know a closing. */
  readonly anchorClosing: (closing: Head) => void
  /** What the anchors of the open sessions know of the closings. */
  readonly knownClosings: () => readonly Head[]
}

/** A grant was given. */
export function givenEvent(grant: Grant, root: string): NoteEntry {
  const data = { grant: grant.id, tool: grant.tool, as: digestAsGiven(grant, root) }
  return { kind: 'note', about: 'granted', execution: null, data }
}

/** A grant was revoked. */
export function revokedEvent({ id, tool }: Grant): NoteEntry {
  return { kind: 'note', about: 'revoked', execution: null, data: { grant: id, tool } }
}

/** A person trusts a text as something, such as the configuration of a root; or no text as that any more. */
export function trustedEvent(what: string, as: Digest | null): NoteEntry {
  return { kind: 'note', about: as === null ? 'distrusted' : 'trusted', execution: null, data: { what, as } }
}

/** Answers that were left for another process were taken back. */
export function withdrawnEvent(answers: readonly string[]): NoteEntry {
  return { kind: 'note', about: 'withdrawn', execution: null, data: { answers } }
}

/** The digest of a grant as it was given, whatever became of it since. */
export function digestAsGiven(grant: Grant, root: string): Digest {
  return digest(grantText({ ...grant, revoked_at: null }, root))
}

/** Opens the chain of grants; it begins with the first grant. */
export function openGrantChain(deps: GrantChainDeps): GrantChain {
  return {
    read: () => deps.writer.guard(() => readGrantHistory(deps)),
    append: createChainAppender(deps, GRANT_CHAIN),
  }
}

/** Appends events to a chain that no open session writes to. `absolves` says that they record what was found wrong with it. */
export function createChainAppender(
  deps: GrantChainDeps,
  key: SessionKey,
  absolves = false,
): GrantChain['append'] {
  const { sqlite, writer, clock, isSyncing } = deps

  function append(events: readonly NoteEntry[], write: () => void): void {
    let created: number | null = null
    let own: Head = { seq: 0, hash: CHAIN_START }
    let closing: Head | null = null
    writer.write('durable', (rows) => {
      foldLog(sqlite)
      const known = findSession(sqlite, key)
      // The transaction keeps other processes out, so the anchor and the head cannot move meanwhile.
      const anchor = openChainAnchor(deps, key)
      try {
        anchor.unseal()
        const row = known?.id ?? rows.newSession(key)
        if (known === null) created = row
        const at = Math.trunc(clock.now())
        const place = { session: sessionId(key), at }
        const head = headOf(sqlite, key)
        const notes = events.map((event, index) =>
          sealNote(event, { session: place.session, seq: head.seq + 1 + index }, deps.key),
        )
        const composed = composeEntries(notes, head, place, formatNote)
        for (const entry of sealEnd(composed, place.session, deps.key)) {
          rows.entry(row, entry)
          own = { seq: entry.seq, hash: entry.hash }
        }
        if (isSyncing) closing = appendClosing(sqlite, deps.key, { id: row, key }, own)
      } finally {
        anchor.close()
      }
      write()
    })
    sealAnchor(own, created, closing)
  }

  /** `own` is on disk by now; another process may have added events that are not. */
  function sealAnchor(own: Head, created: number | null, closing: Head | null): void {
    try {
      writer.write('recorded', () => {
        foldLog(sqlite)
        const anchor = openChainAnchor(deps, key)
        if (closing !== null) anchor.noteClosings({ ...viewClosings(sqlite), head: closing })
        anchor.prepare(own, isSyncing)()
        if (absolves) anchor.absolve(own)
        else anchor.seal(headOf(sqlite, key))
        anchor.close()
      })
      if (created !== null) deps.anchorSession(created, isSyncing)
      if (closing !== null) deps.anchorClosing(closing)
      deps.witness?.note(sessionId(key), own, isSyncing)
    } catch {
      // The events are written and the anchor lags behind; the next event moves it.
    }
  }

  return append
}

/** What reading needs. */
export type GrantEvidence = Pick<GrantChainDeps, 'sqlite' | 'files' | 'key' | 'database' | 'knownClosings'>

/** Another process may be writing between our reading of the anchor and of the chain. */
const TRIES = 3

/** Reads the chain and compares it with its anchor. */
export function readGrantHistory(evidence: GrantEvidence): GrantHistory {
  for (let tries = TRIES; ; tries--) {
    const history = readOnce(evidence)
    if (history.isWhole || tries === 1) return history
  }
}

function readOnce({ sqlite, files, key, database, knownClosings }: GrantEvidence): GrantHistory {
  const session = sessionId(GRANT_CHAIN)
  const read = readAnchor(files.anchorOf(session), key)
  const found = typeof read === 'string' || read.of === session ? read : 'forged'
  const whole = readAnchor(files.storeAnchor, key)
  const known = [...(typeof whole === 'string' ? [] : [whole.closings]), ...knownClosings()]
  const hashes: Digest[] = [CHAIN_START]
  const noted = {
    given: new Map<string, Digest>(),
    revoked: new Set<string>(),
    trusted: new Map<string, Digest>(),
    withdrawn: new Set<string>(),
  }
  let isLinked = true
  const rows = sqlite.statement(EVENTS).all(GRANT_CHAIN.root, GRANT_CHAIN.name)
  const seals = readSeals(
    rows.map((row) => ({ seq: Number(row['seq']), body: String(row['body']) })),
    { session, key },
  )
  for (const row of rows) {
    const [seq, at, body] = [Number(row['seq']), Number(row['at']), String(row['body'])]
    const stored = hexOf(row['hash'])
    if (findSpan(seals, { after: hashes.length - 1, seq, hash: stored }) !== null) {
      hashes[seq] = stored
      continue
    }
    const hash = chainHash(hashes.at(-1) ?? CHAIN_START, { session, seq, at, body })
    isLinked &&= seq === hashes.length && hash === stored
    hashes.push(hash)
    noteEvent(body, { session, seq }, key, noted)
  }
  const row = findSession(sqlite, GRANT_CHAIN)
  const closings = viewClosings(sqlite)
  const view = {
    database,
    lastSeq: hashes.length - 1,
    hashAt: (seq: number) => hashes[seq] ?? null,
    closed: row === null ? null : lastClosing(sqlite, row.id),
    closings,
  }
  const isWhole = isLinked && judgeAnchor(found, view) === null && judgeKnown(known, closings) === null
  return { ...noted, isWhole }
}

/** Rows that the tables have, and those that they do not have yet. */
const EVENTS = `WITH own AS (SELECT id FROM session WHERE root = ?1 AND name = ?2)
  SELECT l.seq, l.at, l.hash, l.body FROM place p JOIN log l ON l.id = p.id WHERE p.session = (SELECT id FROM own)
  UNION SELECT seq, at, hash, body FROM log
    WHERE id > (SELECT value FROM meta WHERE key = 'folded') AND session = (SELECT id FROM own) AND seq IS NOT NULL
  ORDER BY seq`

interface Noted {
  readonly given: Map<string, Digest>
  readonly revoked: Set<string>
  readonly trusted: Map<string, Digest>
  readonly withdrawn: Set<string>
}

/** An end counts whoever wrote it; what gives something has to be sealed. */
function noteEvent(body: string, place: EntryPlace, key: SealKey, noted: Noted): void {
  const { given, revoked, trusted, withdrawn } = noted
  const entry = parseJson(body)
  if (!isJsonObject(entry) || !isJsonObject(entry['data'])) return
  const { about, data } = entry
  if (about === SEALED) {
    // A repair dropped everything that was given: the end of some of it may be among what was lost.
    given.clear()
    trusted.clear()
    return
  }
  const { grant, as, what, answers } = data
  if (about === 'revoked' && typeof grant === 'string') revoked.add(grant)
  if (about === 'distrusted' && typeof what === 'string') trusted.delete(what)
  if (about === 'withdrawn' && Array.isArray(answers))
    for (const answer of answers) withdrawn.add(String(answer))
  if (!isSealedNote(entry, place, key)) return
  if (about === 'granted' && typeof grant === 'string' && typeof as === 'string') given.set(grant, as)
  if (about === 'trusted' && typeof what === 'string' && typeof as === 'string') trusted.set(what, as)
}

function openChainAnchor(
  { sqlite, files, key, database }: Omit<GrantEvidence, 'knownClosings'>,
  of: SessionKey,
): AnchorFile {
  const id = sessionId(of)
  const label = JSON.stringify([of.root, of.name])
  const place: AnchorPlace = { path: files.anchorOf(id), of: id, label }
  const row = findSession(sqlite, of)
  return openAnchor(place, key, () => ({
    database,
    lastSeq: headOf(sqlite, of).seq,
    hashAt: (seq) => (row === null ? null : readHash(sqlite, row, seq)),
    closed: row === null ? null : lastClosing(sqlite, row.id),
    closings: viewClosings(sqlite),
  }))
}

function headOf(sqlite: Sqlite, of: SessionKey): Head {
  const row = findSession(sqlite, of)
  return (row === null ? null : readHead(sqlite, row)) ?? { seq: 0, hash: CHAIN_START }
}

function formatNote(entry: unknown): { readonly body: string; readonly shared: null } {
  return { body: JSON.stringify(entry), shared: null }
}
