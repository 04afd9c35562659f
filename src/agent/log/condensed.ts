import type { CondensedEntry } from '../../journal/entries/conversation-entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { ERASED } from '../context/message-parts.ts'

/** How older parts are shortened for the model. */
export interface Condensed {
  /** Results up to here are stubs. */
  readonly stubsUpTo: number
  /** Messages up to here are the summary. */
  readonly summaryUpTo: number
  readonly summary: string
  /** Pictures and documents up to here are left out; up to the second, because a provider refused them. */
  readonly attachedUpTo: number
  readonly refusedUpTo: number
  /** Where the compaction point itself is; 0 if there was none. Nothing after it is shortened. */
  readonly at: number
  /** Whether shortened results can be read as `tongs:output/ID`. */
  readonly isStored: boolean
}

/** Before the first compaction point. */
export const NOT_CONDENSED: Condensed = {
  stubsUpTo: 0,
  summaryUpTo: 0,
  summary: '',
  attachedUpTo: 0,
  refusedUpTo: 0,
  at: 0,
  isStored: false,
}

const utf8 = new TextDecoder()

/** What is shortened after one more compaction point. */
export function foldCondensed(
  before: Condensed,
  at: number,
  { upTo, summary, resultsUpTo, attachedUpTo = before.attachedUpTo, cause, ...entry }: CondensedEntry,
  payload: SessionLog['payload'],
): Condensed {
  const isStored = entry.isStored === true
  const refusedUpTo = cause === 'attached' ? attachedUpTo : before.refusedUpTo
  const left = { attachedUpTo, refusedUpTo }
  if (summary === null) return { ...before, ...left, stubsUpTo: upTo, at, isStored }
  const bytes = payload(summary)
  return {
    stubsUpTo: resultsUpTo ?? before.stubsUpTo,
    summaryUpTo: upTo,
    summary: bytes === null ? ERASED : utf8.decode(bytes),
    ...left,
    at,
    isStored,
  }
}
