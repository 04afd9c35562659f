import type { Sqlite } from '../../host/db/sqlite.ts'
import { HEADER_BYTES } from './segment-header.ts'
import type { SegmentHeader } from './segment-header.ts'

/** How far a segment was taken up, and whether some of it could not be placed. */
export interface TakenUp {
  readonly epoch: number
  /** Frames that begin before this place are in the log. */
  readonly taken: number
  readonly isContested: boolean
}

/** How far the log includes a segment. */
export function readTakenUp(sqlite: Sqlite, { id, epoch }: Pick<SegmentHeader, 'id' | 'epoch'>): TakenUp {
  const row = sqlite.statement('SELECT epoch, taken, contested FROM segment WHERE id = ?').get(id)
  const known = Number(row?.['epoch'] ?? 0)
  const isContested = Number(row?.['contested'] ?? 0) !== 0
  // A power cut may bring back an older header: what it begins was taken up before the segment was begun anew.
  if (known > epoch) return { epoch: known, taken: Number.MAX_SAFE_INTEGER, isContested }
  return {
    epoch,
    taken: known === epoch ? Number(row?.['taken'] ?? HEADER_BYTES) : HEADER_BYTES,
    isContested,
  }
}

/** The newest epoch of a segment that the log knows of; null if it took up nothing of the segment. */
export function readEpoch(sqlite: Sqlite, id: string): number | null {
  const row = sqlite.statement('SELECT epoch FROM segment WHERE id = ?').get(id)
  return row === undefined ? null : Number(row['epoch'])
}

/** Records how far the log includes a segment; call it in the transaction that places its rows. */
export function writeTakenUp(sqlite: Sqlite, id: string, { epoch, taken, isContested }: TakenUp): void {
  sqlite
    .statement('INSERT OR REPLACE INTO segment (id, epoch, taken, contested) VALUES (?, ?, ?, ?)')
    .run(id, epoch, taken, isContested ? 1 : 0)
}

/** Forgets a segment whose file is gone or about to go. */
export function forgetSegment(sqlite: Sqlite, id: string): void {
  sqlite.statement('DELETE FROM segment WHERE id = ?').run(id)
}
