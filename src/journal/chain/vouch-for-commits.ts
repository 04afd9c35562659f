import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { CHAIN_START, chainHash, sessionId } from './chain.ts'
import { acceptsBreach, findSpan, readAllSeals, UNSEALED } from './seals.ts'
import { sealChanges } from './sealed-changes.ts'
import type { Digest, Entry, SessionKey } from '../entries/entry.ts'
import { changesOf } from '../entries/mentions.ts'
import { hexOf } from '../store/read-log.ts'

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
 * files has landed. The tables have to be up to date. The walk begins at the oldest of the commits, which is near the
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
  for (const { seq, entry } of walk(sqlite, first, from)) {
    if (entry === null) return []
    if (acceptsBreach(entry)) held.clear()
    const files = new Set(changesOf(entry).map(({ root, path }) => `${root}\0${path}`))
    const isWaiting = 'execution' in entry && entry.execution !== null && waiting.has(entry.execution)
    for (const [{ execution }, own] of isWaiting ? [] : held)
      if (endsClaim(entry, files, execution, own)) ended.add(execution)
    const commit = pending.get(seq)
    if (
      commit !== undefined &&
      files.size > 0 &&
      'execution' in entry &&
      entry.execution === commit.execution &&
      isSealedAs(sqlite, key, commit, entry)
    )
      held.set(commit, files)
  }
  return [...held.keys()].filter(({ execution }) => !ended.has(execution))
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

function isSealedAs(
  sqlite: Sqlite,
  key: SealKey,
  { session, row, seq }: MarkedCommit,
  entry: Entry,
): boolean {
  const found = sqlite.statement('SELECT seal FROM changes_seal WHERE session = ? AND seq = ?').get(row, seq)
  return found?.['seal'] === sealChanges(entry, { session: sessionId(session), seq }, key)
}

/**
 * Whether every entry of a session from a place on matches its hash, and none of them records that a repair accepted
 * what was before it. The tables have to be up to date.
 */
export function holdsFrom(
  sqlite: Sqlite,
  session: { readonly id: number; readonly key: SessionKey },
  from: number,
): boolean {
  let next = from
  for (const { seq, entry } of walk(sqlite, { session: session.key, row: session.id }, from)) {
    if (entry === null || (next === from && seq !== from)) return false
    if (seq > from && acceptsBreach(entry)) return false
    next = seq + 1
  }
  return next > from
}

/** The entries from a place on; null for the first one that does not match its hash. */
function* walk(
  sqlite: Sqlite,
  { session, row }: Pick<MarkedCommit, 'session' | 'row'>,
  from: number,
): Generator<{ readonly seq: number; readonly entry: Entry | null }> {
  const id = sessionId(session)
  let previous: Digest | null = from === 1 ? CHAIN_START : null
  const rows = sqlite.statement(
    `SELECT l.seq, l.at, l.hash, entry_text(l.body) AS body FROM place p JOIN log l ON l.id = p.id
     WHERE p.session = ? AND p.seq >= ? ORDER BY p.seq LIMIT 500`,
  )
  let next = Math.max(1, from - 1)
  for (let page = rows.all(row, next); page.length > 0; page = rows.all(row, next)) {
    for (const found of page) {
      const [seq, at, body] = [Number(found['seq']), Number(found['at']), String(found['body'])]
      const stored = hexOf(found['hash'])
      if (previous !== null) {
        const isRight = seq === next && chainHash(previous, { session: id, seq, at, body }) === stored
        if (isRight) yield { seq, entry: JSON.parse(body) as Entry }
        else if (!isSealed(sqlite, row, { after: next - 1, seq, hash: stored })) yield { seq, entry: null }
      }
      previous = stored
      next = seq + 1
    }
  }
}

/** Damage that a repair sealed is known to the chain, and nothing more can be said about it. */
function isSealed(sqlite: Sqlite, row: number, place: Parameters<typeof findSpan>[1]): boolean {
  return findSpan(readAllSeals(sqlite).get(row) ?? UNSEALED, place) !== null
}
