import type { ToolResult } from '../../core/result.ts'
import { DELEGATION } from '../../journal/entries/delegated-entry.ts'
import type { AnsweredEntry, AskedEntry, BatchEntry, StoredEntry } from '../../journal/entries/entry.ts'
import { readResult } from '../../journal/folds/read-result.ts'
import type { OpenBatch, SessionLog } from '../../journal/log.ts'
import type { Batch } from '../batch.ts'
import type { Run } from '../engine.ts'
import { claimBatch } from './claim-batch.ts'
import { entriesOf, hasCallUnderWay } from './waiting-batch.ts'

/** A batch that waits for delegated conversations, as read from the log. */
export interface ParkedBatch {
  readonly batch: BatchEntry
  /** The place of its entry in the log. */
  readonly seq: number
  readonly declaredAt: number
  /** What was asked about its calls, and answered, before it came to wait. */
  readonly asked: AskedEntry
  readonly earlier: readonly AskedEntry[]
  readonly answers: ReadonlyMap<string, AnsweredEntry>
  readonly results: ReadonlyMap<string, ToolResult>
  /** The calls whose conversations have begun. */
  readonly begun: ReadonlySet<string>
}

type Log = Pick<SessionLog, 'openBatches' | 'aboutBatch' | 'payload' | 'vouchesFor'>

/** The batch with this id; null if it does not wait for a delegated conversation. */
export function findParked(batch: string, log: Log): ParkedBatch | null {
  const open = log.openBatches().find((one) => one.batch === batch)
  return open === undefined ? null : readParked(open, log)
}

function readParked(open: Pick<OpenBatch, 'batch' | 'seq'>, log: Log): ParkedBatch | null {
  const own = entriesOf(open, log)
  const [first] = own
  if (first === undefined || first.entry.kind !== 'batch') return null
  const batch = first.entry
  const about = log.aboutBatch(open.seq)
  if (!isParked(open.batch, about, log)) return null
  const all: AskedEntry[] = []
  const answers = new Map<string, AnsweredEntry>()
  const results = new Map<string, ToolResult>()
  for (const { entry } of own) {
    if (entry.kind === 'asked') all.push(entry)
    if (entry.kind === 'answered' && !answers.has(entry.approval)) answers.set(entry.approval, entry)
    if (entry.kind === 'settled') results.set(entry.execution, readResult(entry, batch.calls, log.payload))
  }
  const calls = new Set(batch.calls.map(({ execution }) => execution))
  const begun = new Set(
    about
      .flatMap(({ entry, seq }) =>
        entry.kind === 'note' && entry.about === DELEGATION && entry.execution !== null && log.vouchesFor(seq)
          ? [entry.execution]
          : [],
      )
      .filter((execution) => calls.has(execution) && !results.has(execution)),
  )
  // The answers came in time, however long the conversations take.
  const asked = {
    kind: 'asked',
    batch: batch.batch,
    questions: [],
    expiresAt: Number.POSITIVE_INFINITY,
  } as const
  return { batch, seq: first.seq, declaredAt: first.at, asked, earlier: all, answers, results, begun }
}

/**
 * Whether a batch, by the entries about it and its calls, waits for delegated conversations: Tongs itself recorded last that
 * it does, and none of its calls is under way.
 */
export function isParked(
  batch: string,
  about: readonly StoredEntry[],
  { vouchesFor }: Pick<SessionLog, 'vouchesFor'>,
): boolean {
  const stands = about.findLast(
    ({ entry }) => (entry.kind === 'continued' || entry.kind === 'parked') && entry.batch === batch,
  )
  return stands?.entry.kind === 'parked' && vouchesFor(stands.seq) && !hasCallUnderWay(about)
}

/**
 * Whether a batch waits for delegated conversations that wait for nothing any more: every batch of such a conversation
 * has its results, or waits for a conversation of its own.
 */
export function isReadyToGoOn(batch: string, log: Log): boolean {
  if (findParked(batch, log) === null) return false
  return log.openBatches().every((open) => {
    const [first] = entriesOf(open, log)
    const isDelegated = first?.entry.kind === 'batch' && first.entry.delegate !== undefined
    return !isDelegated || readParked(open, log) !== null
  })
}

/** Resumes a batch. */
export function takeUpParked(parked: ParkedBatch, run: Run): Batch {
  const { asked, earlier, answers, begun } = parked
  const questions = earlier.flatMap((entry) => entry.questions)
  return claimBatch(
    parked,
    { answered: { asked: { ...asked, questions }, answers }, landings: new Map(), begun },
    run,
  )
}
