import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Steps } from './finish-steps.ts'

/** The newest part of a log. */
export interface Recent {
  /** Oldest first. */
  readonly entries: readonly StoredEntry[]
  /** All entries from this time on are included; `-Infinity` if that is the whole log. */
  readonly since: number
}

/**
 * The part of a log that rules can still look back at: entries newer than a moment, and all of a turn. Null if the whole
 * log is needed, because the turn's id was made by the caller or the clock was set back.
 */
export function* readRecent(log: SessionLog, moment: number, turn: string | null): Steps<Recent | null> {
  const since = Math.min(moment, turn === null ? Infinity : bornAt(turn))
  if (since === -Infinity) return null
  const recent: StoredEntry[] = []
  let next = Infinity
  for (const stored of log.newestFirst()) {
    if (stored.at > next) return null
    next = stored.at
    if (stored.at < since) return { entries: recent.toReversed(), since }
    recent.push(stored)
    yield
  }
  return { entries: recent.toReversed(), since: -Infinity }
}

/** Longer than any call may run, so that one which ended lately is found by its start. */
const LONGEST_RUN_MS = 86_400_000

/**
 * The entries from before a place in the log that deduplication looks back at: calls with effects that ended since a
 * moment, and edits up to the newest that changed anything. Calls that only read are not even looked at, however many there are. Oldest first.
 */
export function readEffects(log: SessionLog, moment: number, beforeSeq: number): readonly StoredEntry[] {
  const found: StoredEntry[] = []
  const isWanted = ({ seq, at }: StoredEntry): boolean => seq < beforeSeq && at >= moment
  for (const edit of log.edits()) {
    if (edit.at < moment) break
    if (!isWanted(edit)) continue
    found.push(edit)
    // A change makes everything before it irrelevant.
    if (edit.entry.kind !== 'settled' || edit.entry.changes.length > 0) break
  }
  for (const { at, entry: started } of log.newestFirst('started')) {
    if (at < moment - LONGEST_RUN_MS) break
    if (started.kind !== 'started') continue
    const settled = log.about(started.execution).find(({ entry }) => entry.kind === 'settled')
    if (settled !== undefined && isWanted(settled)) found.push(settled)
  }
  return found.toSorted((one, other) => one.seq - other.seq)
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const OWN_ID = /^[0-9a-hjkmnp-tv-z]{26}$/
const TIME_DIGITS = 10

/** When an id of this runtime was made, as its leading digits say; `-Infinity` for any other id. */
export function bornAt(id: string): number {
  if (!OWN_ID.test(id)) return -Infinity
  let time = 0
  for (const digit of id.slice(0, TIME_DIGITS)) time = time * DIGITS.length + DIGITS.indexOf(digit)
  return time
}
