import { failure } from '../../core/error.ts'
import { sqliteFaultOf } from '../../host/db/sqlite.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { SeenFile, ShownLine } from '../entries/entry.ts'
import type { Append, LedgerRow } from '../log.ts'
import type { LogWriter } from './log-writer.ts'

type Range = { readonly start_line: number; readonly end_line: number }

/** A change to the ledger: a row, or null if the path is removed. */
export type LedgerChange = readonly [path: string, row: LedgerRow | null]

const NONE: readonly never[] = []

/** What an append changes in the ledger. Each path appears once, with its final row. */
export function ledgerChanges(
  what: Pick<Append, 'seen' | 'unseen'>,
  known: (path: string) => LedgerRow | null,
): readonly LedgerChange[] {
  const { seen = NONE, unseen = NONE } = what
  if (seen.length === 0 && unseen.length === 0) return NONE
  const changes = new Map<string, LedgerRow | null>()
  for (const path of unseen) changes.set(path, null)
  for (const file of seen) {
    const before = changes.get(file.path)
    changes.set(file.path, mergeSeen(before === undefined ? known(file.path) : before, file))
  }
  return [...changes]
}

/** Adds newly shown lines to those shown before, as long as the content is the same. */
export function mergeSeen(row: LedgerRow | null, seen: SeenFile): LedgerRow {
  const { path, digest, at, range } = seen
  if (seen.shown !== undefined)
    return { path, digest, at, ranges: mergeShown(row?.ranges ?? NONE, seen.shown) }
  const shown = range === null ? null : [range]
  const ranges = row === null || row.digest !== digest ? shown : mergeRanges(row.ranges, shown)
  return { path, digest, at, ranges }
}

/** More lines than this are not kept; the newest stay. */
const MAX_SHOWN_LINES = 2_000

/** The lines that were shown, each with its newest text. */
function mergeShown(
  before: NonNullable<LedgerRow['ranges']>,
  shown: readonly ShownLine[],
): LedgerRow['ranges'] {
  const lines = new Map(before.map((one) => [one.start_line, one]))
  for (const one of shown) {
    lines.delete(one.start_line)
    lines.set(one.start_line, one)
  }
  return [...lines.values()].slice(-MAX_SHOWN_LINES)
}

function mergeRanges(one: readonly Range[] | null, other: readonly Range[] | null): readonly Range[] | null {
  if (one === null || other === null) return null
  const merged: Range[] = []
  for (const next of [...one, ...other].toSorted((a, b) => a.start_line - b.start_line)) {
    const last = merged.at(-1)
    if (last === undefined || next.start_line > last.end_line + 1) merged.push(next)
    else {
      const end_line = Math.max(last.end_line, next.end_line)
      merged[merged.length - 1] = { start_line: last.start_line, end_line }
    }
  }
  return merged
}

/** A session's ledger, including changes that the tables do not have yet. */
export interface Ledger {
  readonly read: (path: string) => LedgerRow | null
  /** Called once these changes are written. */
  readonly note: (changes: readonly LedgerChange[]) => void
}

/** Seals rows of a ledger. */
export interface LedgerSeal {
  readonly key: SealKey
  /** The session's id in the chain; a row of one session is worth nothing in another. */
  readonly session: string
}

/** What a ledger needs. */
export interface LedgerDeps {
  readonly sqlite: Sqlite
  readonly writer: Pick<LogWriter, 'generation'>
  readonly sealing: LedgerSeal
  /** The session's row; null until its first entry. */
  readonly rowOf: () => number | null
}

/** Opens a session's ledger. A row that this program did not seal does not count. */
export function openLedger({ sqlite, writer, sealing, rowOf }: LedgerDeps): Ledger {
  const overlay = new Map<string, LedgerRow | null>()
  let generation = writer.generation()

  /** Drops changes that the tables have taken up since. */
  function currentOverlay(): Map<string, LedgerRow | null> {
    if (generation !== writer.generation()) overlay.clear()
    generation = writer.generation()
    return overlay
  }

  return {
    read: (path) => {
      const known = currentOverlay().get(path)
      if (known !== undefined) return known
      const row = rowOf()
      if (row === null) return null
      const found = readStoredRow(sqlite, row, path)
      return found === undefined ? null : readRow(path, found, sealing)
    },
    note: (changes) => {
      for (const [path, change] of changes) currentOverlay().set(path, change)
    },
  }
}

/** Reads a row in the middle of a call: what the database refuses is an error of that call, and no fault of its tool. */
function readStoredRow(
  sqlite: Sqlite,
  session: number,
  path: string,
): Readonly<Record<string, unknown>> | undefined {
  try {
    return sqlite
      .statement('SELECT digest, at, ranges, seal FROM seen WHERE session = ? AND path = ?')
      .get(session, path)
  } catch (error) {
    if (sqliteFaultOf(error) === null) throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw failure(
      'resource_exhausted',
      `The record of the files that were read cannot be used (${detail}).`,
      {},
      ['Try again; if it stays like this, check the disk of the state folder.'],
    )
  }
}

/** Formats ledger changes for the log, each with its seal. */
export function formatLedgerChanges(changes: readonly LedgerChange[], sealing: LedgerSeal): string {
  return JSON.stringify(
    changes.map(([path, row]) =>
      row === null
        ? { path, digest: null, at: null, ranges: null }
        : { ...row, seal: sealRow(row, JSON.stringify(row.ranges), sealing) },
    ),
  )
}

function readRow(
  path: string,
  found: Readonly<Record<string, unknown>>,
  sealing: LedgerSeal,
): LedgerRow | null {
  const { digest, at, ranges, seal: sealed } = found
  if (digest !== null && typeof digest !== 'string') return null
  const row = { path, digest, at: Number(at) }
  if (typeof ranges !== 'string' || sealed !== sealRow(row, ranges, sealing)) return null
  return { ...row, ranges: JSON.parse(ranges) as LedgerRow['ranges'] }
}

function sealRow(
  { path, digest, at }: Omit<LedgerRow, 'ranges'>,
  ranges: string,
  { key, session }: LedgerSeal,
): string {
  return seal(key, `tongs seen 1\n${JSON.stringify([session, path, digest, at])}\n${ranges}`)
}
