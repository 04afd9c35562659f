import type { Sqlite } from '../../host/db/sqlite.ts'
import { parseJson } from '../../core/json/value.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { CHAIN_START, chainHash, sessionId } from './chain.ts'
import { areListed, isFiledRight } from './filing.ts'
import { acceptsBreach, findSpan, readAllSeals, UNSEALED } from './seals.ts'
import { isSealOf } from './sealed-entries.ts'
import type { Digest, Entry, SessionKey, StoredEntry } from '../entries/entry.ts'
import { changesOf } from '../entries/mentions.ts'
import { isPossibleEntry } from '../entries/possible-entry.ts'
import { hexOf, readSealed } from '../store/read-log.ts'
import type { SessionRow } from '../store/read-log.ts'

/** A commit that a table says has not landed, or not reached the disk. */
export interface MarkedCommit {
  readonly session: SessionKey
  /** The session's row. */
  readonly row: number
  readonly seq: number
  readonly execution: string
}

/**
 * Marks in the tables are not part of the chain, so files are put in place only for commits that the chain holds: their
 * entry has its seal, it and everything after it match their hashes, nothing undid them, and no later commit on their
 * files has landed, in whichever session. The tables have to be up to date. The walk begins at the oldest of the commits, which is near the
 * end of the log.
 */
export function vouchForCommits<T extends MarkedCommit>(
  sqlite: Sqlite,
  key: SealKey,
  marked: readonly T[],
): readonly T[] {
  return [...Map.groupBy(marked, ({ row }) => row).values()].flatMap((commits) =>
    vouchInSession(sqlite, key, commits),
  )
}

function vouchInSession<T extends MarkedCommit>(
  sqlite: Sqlite,
  key: SealKey,
  commits: readonly T[],
): readonly T[] {
  const [first] = commits
  if (first === undefined) return []
  const waiting = new Set(commits.map(({ execution }) => execution))
  const pending = new Map(commits.map((commit) => [commit.seq, commit]))
  /** The commits whose entries were met, by the files they change. */
  const held = new Map<T, ReadonlySet<string>>()
  const ended = new Set<string>()
  const from = Math.min(...commits.map(({ seq }) => seq))
  for (const { seq, entry, isSealed } of walk(sqlite, key, first, from)) {
    if (entry === null && !isSealed) return []
    if (entry === null) continue
    if (acceptsBreach(entry)) held.clear()
    const files = new Set(filesOf(entry))
    const isWaiting = 'execution' in entry && entry.execution !== null && waiting.has(entry.execution)
    for (const [{ execution }, own] of isWaiting ? [] : held)
      if (endsClaim(entry, files, execution, own) && vouchesFor(sqlite, key, rowOf(first), seq))
        ended.add(execution)
    const commit = pending.get(seq)
    if (
      commit !== undefined &&
      files.size > 0 &&
      'execution' in entry &&
      entry.execution === commit.execution &&
      vouchesFor(sqlite, key, rowOf(commit), seq)
    )
      held.set(commit, files)
  }
  return [...held]
    .filter(([commit, files]) => !ended.has(commit.execution) && !isWrittenOver(sqlite, key, commit, files))
    .map(([commit]) => commit)
}

/** Whether a later commit of another session is about one of its files, in the same folder: no session commits what another has to land. */
function isWrittenOver(
  sqlite: Sqlite,
  key: SealKey,
  commit: MarkedCommit,
  files: ReadonlySet<string>,
): boolean {
  const rows = sqlite
    .statement(
      `SELECT entry_text(l.body) AS body, entry_text(own.body) AS own, l.session, l.seq, s.root, s.name
       FROM place p JOIN log own ON own.id = p.id
       JOIN log l ON l.id > p.id AND l.lands = 1 AND l.session <> p.session JOIN session s ON s.id = l.session
       WHERE p.session = ? AND p.seq = ?`,
    )
    .all(commit.row, commit.seq)
  return rows.some(({ body, own, session, seq, root: top, name }) => {
    const [entry, later] = [readEntry(own), readEntry(body)]
    if (entry === null || later === null) return false
    const place = { id: Number(session), key: { root: String(top), name: String(name) } }
    return (
      changesOf(later).some(
        ({ root, path }) =>
          files.has(`${root}\0${path}`) && isSameFolder(identityIn(entry, root), identityIn(later, root)),
      ) && vouchesFor(sqlite, key, place, Number(seq))
    )
  })
}

function readEntry(body: unknown): Entry | null {
  const found = parseJson(String(body))
  return isPossibleEntry(found) ? (found as unknown as Entry) : null
}

/** What tells a root of a commit from a folder that takes its place; null if it is not on record. */
function identityIn(entry: Entry, root: string): string | null {
  const identities = 'roots' in entry ? (entry.roots ?? []) : []
  const roots = [...new Set(changesOf(entry).map((change) => change.root))]
  return roots.length === identities.length ? (identities[roots.indexOf(root)] ?? null) : null
}

/** Folders that cannot be told apart count as one. */
function isSameFolder(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other
}

function filesOf(entry: Entry): readonly string[] {
  return changesOf(entry).map(({ root, path }) => `${root}\0${path}`)
}

/** Whether a later entry, which has landed itself, shows that a commit has landed or was taken back. */
function endsClaim(
  entry: Entry,
  files: ReadonlySet<string>,
  execution: string,
  own: ReadonlySet<string>,
): boolean {
  return (entry.kind === 'undo' && entry.calls.includes(execution)) || !files.isDisjointFrom(own)
}

function rowOf({ session, row }: Pick<MarkedCommit, 'session' | 'row'>): SessionRow {
  return { id: row, key: session }
}

/**
 * Whether Tongs recorded an entry that needs a seal, as it is, at its place. Without a seal nothing counts, also if the chain
 * holds it: after a process was killed, another program can add an entry at the open end with the right hash. The tables
 * have to be up to date.
 */
export function vouchesFor(sqlite: Sqlite, key: SealKey, session: SessionRow, seq: number): boolean {
  const found = readSealed(sqlite, session, seq)
  return found !== null && isSealOf(found, sessionId(session.key), key)
}

/** Entries without each undo and redo that another program added: as if nothing had been taken back. */
export function* withoutForged(
  entries: Iterable<StoredEntry>,
  isGenuine: (seq: number) => boolean,
): Generator<StoredEntry> {
  for (const stored of entries) {
    const { kind } = stored.entry
    if ((kind !== 'undo' && kind !== 'redo') || isGenuine(stored.seq)) yield stored
  }
}

/**
 * Whether every entry of a session from a place on matches its hash and is found through the tables, and none of them
 * records that a repair accepted what was before it, or lost it. The tables have to be up to date.
 */
export function holdsFrom(
  sqlite: Sqlite,
  key: SealKey,
  session: { readonly id: number; readonly key: SessionKey },
  from: number,
): boolean {
  let next = from
  for (const { seq, entry, isFound } of walk(sqlite, key, { session: session.key, row: session.id }, from)) {
    if (entry === null || !isFound || (next === from && seq !== from)) return false
    if (seq > from && acceptsBreach(entry)) return false
    next = seq + 1
  }
  return next > from && areListed(sqlite, session.id, from)
}

/** An entry on the way through a session. */
interface Met {
  readonly seq: number
  /** Null if it does not match its hash. */
  readonly entry: Entry | null
  /** Whether a repair knows of that. */
  readonly isSealed: boolean
  /** Whether the columns beside its text say the same as that. */
  readonly isFound: boolean
}

/** The entries from a place on. */
function* walk(
  sqlite: Sqlite,
  key: SealKey,
  { session, row }: Pick<MarkedCommit, 'session' | 'row'>,
  from: number,
): Generator<Met> {
  const id = sessionId(session)
  let previous: Digest | null = from === 1 ? CHAIN_START : null
  const rows = sqlite.statement(
    `SELECT l.seq, l.at, l.hash, l.kind, l.calls, l.lands, entry_text(l.body) AS body FROM place p JOIN log l ON l.id = p.id
     WHERE p.session = ? AND p.seq >= ? ORDER BY p.seq LIMIT 500`,
  )
  let next = Math.max(1, from - 1)
  for (let page = rows.all(row, next); page.length > 0; page = rows.all(row, next)) {
    for (const found of page) {
      const [seq, at, body] = [Number(found['seq']), Number(found['at']), String(found['body'])]
      const stored = hexOf(found['hash'])
      if (previous !== null) {
        const isRight = seq === next && chainHash(previous, { session: id, seq, at, body }) === stored
        if (isRight) {
          const entry = JSON.parse(body) as Entry
          yield { seq, entry, isSealed: false, isFound: isFiledRight(found, entry) }
        } else {
          const isSealed = isKnownDamage(sqlite, key, row, { after: next - 1, seq, hash: stored })
          yield { seq, entry: null, isSealed, isFound: false }
        }
      }
      previous = stored
      next = seq + 1
    }
  }
}

/** Damage that a repair sealed is known to the chain, and nothing more can be said about it. */
function isKnownDamage(
  sqlite: Sqlite,
  key: SealKey,
  row: number,
  place: Parameters<typeof findSpan>[1],
): boolean {
  return findSpan(readAllSeals(sqlite, key).get(row) ?? UNSEALED, place) !== null
}
