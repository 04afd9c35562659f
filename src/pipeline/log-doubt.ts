import type { SessionLog } from '../journal/log.ts'

export const UNVERIFIED = 'the log of its session does not verify; run tongs audit verify'

/** Whether a log cannot be relied on from a place on: it contradicts its anchor, or something there is hidden or changed. */
export function isUnverified(
  { breach, holdsFrom }: Pick<SessionLog, 'breach' | 'holdsFrom'>,
  seq: number,
): boolean {
  return breach !== null || !holdsFrom(seq)
}
