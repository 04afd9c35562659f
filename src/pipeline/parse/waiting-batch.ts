import type { ToolResult } from '../../core/result.ts'
import type {
  AnsweredEntry,
  AskedEntry,
  AskedQuestion,
  BatchEntry,
  StoredEntry,
} from '../../journal/entries/entry.ts'
import { readResult } from '../../journal/folds/read-result.ts'
import type { LogReader, OpenBatch } from '../../journal/log.ts'
import { readLanding } from '../waiting-landing.ts'
import type { WaitingLanding } from '../waiting-landing.ts'
import type { Engine, Run } from '../engine.ts'
import type { AnsweredQuestions, Batch } from '../batch.ts'
import type { Received } from '../step.ts'
import { claimBatch } from './claim-batch.ts'
import { readAgain } from './read-batch.ts'

/** A batch that waits for answers, as read from the log. */
export interface WaitingBatch extends AnsweredQuestions {
  readonly answers: ReadonlyMap<string, AnsweredEntry>
  readonly batch: BatchEntry
  /** The place of its entry in the log. */
  readonly seq: number
  readonly declaredAt: number
  readonly askedAt: number
  /** What was asked before the batch went on to the questions of `asked`. */
  readonly earlier: readonly AskedEntry[]
  readonly results: ReadonlyMap<string, ToolResult>
  /** Calls whose process has ended and whose changes wait to land. */
  readonly landings: ReadonlyMap<string, WaitingLanding>
  /** Whether a process went on from the questions of `asked`: it is landing what they are about, or it died. */
  readonly isTakenUp: boolean
}

/** The waiting batches of a session, oldest first. Only what is about open batches is read. */
export function findWaiting(log: LogReader): readonly WaitingBatch[] {
  return log.openBatches().flatMap((open) => readOpen(open, log) ?? [])
}

/** The batch with this id, or null if it does not wait. */
export function findWaitingBatch(batch: string, log: LogReader): WaitingBatch | null {
  const open = log.openBatches().find((one) => one.batch === batch)
  if (open === undefined) return null
  return readOpen(open, log)
}

function readOpen(open: OpenBatch, log: LogReader): WaitingBatch | null {
  const about = log.aboutBatch(open.seq)
  return hasCallUnderWay(about) ? null : readWaiting(about.filter(isOf(open.batch)), log)
}

/**
 * Whether one of the calls that entries are about has begun, with an effect that no commit shows, and neither ended nor come
 * to a landing: its process died. It is in doubt, and nothing that is said about its batch lets it begin again.
 */
export function hasCallUnderWay(about: readonly StoredEntry[]): boolean {
  const underWay = new Set<string>()
  for (const { entry } of about) {
    if (entry.kind === 'started') underWay.add(entry.execution)
    if (entry.kind === 'settled' || entry.kind === 'landing') underWay.delete(entry.execution)
  }
  return underWay.size > 0
}

/** The entries of a batch, oldest first. */
export function entriesOf(
  { batch, seq }: Pick<OpenBatch, 'batch' | 'seq'>,
  log: Pick<LogReader, 'aboutBatch'>,
): readonly StoredEntry[] {
  return log.aboutBatch(seq).filter(isOf(batch))
}

function isOf(batch: string): (stored: StoredEntry) => boolean {
  return ({ entry }) => 'batch' in entry && entry.batch === batch
}

interface AskedAt {
  readonly entry: AskedEntry
  readonly seq: number
  readonly at: number
}

function readWaiting(entries: readonly StoredEntry[], log: LogReader): WaitingBatch | null {
  const [first] = entries
  if (first === undefined || first.entry.kind !== 'batch') return null
  let asked = null as AskedAt | null
  let left = null as AskedAt | null
  const all: AskedEntry[] = []
  const landings = new Map<string, WaitingLanding>()
  const answers = new Map<string, AnsweredEntry>()
  const results = new Map<string, ToolResult>()
  for (const { entry, seq, at } of entries) {
    // A copy of what was asked before, which another program added, is no question of its own: its answers have counted.
    if (entry.kind === 'asked' && all.some((other) => isCopyOf(entry, other))) continue
    if (entry.kind === 'asked') all.push(entry)
    if (entry.kind === 'continued') {
      for (const { approval, execution } of asked?.entry.questions ?? [])
        if (landings.has(execution)) answers.delete(approval)
      left = asked ?? left
      asked = null
    }
    // What it waits for now is a conversation; nothing of it can be answered.
    if (entry.kind === 'parked') {
      asked = null
      left = null
    }
    if (entry.kind === 'landing') landings.set(entry.execution, readLanding(entry, seq, log.payload))
    // A question asked while the batch ran can be answered only in the process that asked it.
    if (entry.kind === 'asked' && entry.whileRunning !== true) asked = { entry, seq, at }
    if (entry.kind === 'answered' && !answers.has(entry.approval)) answers.set(entry.approval, entry)
    if (entry.kind === 'settled')
      results.set(entry.execution, readResult(entry, first.entry.calls, log.payload))
  }
  for (const execution of results.keys()) landings.delete(execution)
  const open = asked ?? (left !== null && isAboutLanding(left, landings) ? left : null)
  if (open === null) return null
  const { entry: current } = open
  return {
    batch: first.entry,
    seq: first.seq,
    declaredAt: first.at,
    asked: current,
    earlier: all.filter((entry) => entry !== current),
    askedAt: open.at,
    answers,
    results,
    landings,
    isTakenUp: asked === null,
  }
}

function isCopyOf({ questions }: AskedEntry, other: AskedEntry): boolean {
  return questions.some(({ approval }) => other.questions.some((one) => one.approval === approval))
}

/**
 * Whether questions that a process went on from were about a landing that is still there: it died before the commit and
 * has changed nothing, so they are asked again. A question from before the run says nothing about its changes.
 */
function isAboutLanding({ entry, seq }: AskedAt, landings: ReadonlyMap<string, WaitingLanding>): boolean {
  return entry.questions.some(({ execution }) => (landings.get(execution)?.seq ?? seq) < seq)
}

/** Resumes a waiting batch. */
export function takeUp(waiting: WaitingBatch, run: Run): Batch {
  const { asked, earlier, answers, landings, isDamaged = false } = waiting
  const questions = [...answeredBefore(earlier), ...asked.questions]
  return claimBatch(
    waiting,
    { answered: { asked: { ...asked, questions }, answers, isDamaged }, landings, begun: new Set() },
    run,
  )
}

/** The questions whose answers were for calls that have yet to run. */
function answeredBefore(earlier: readonly AskedEntry[]): readonly AskedQuestion[] {
  return earlier.filter(({ whileRunning }) => whileRunning !== true).flatMap(({ questions }) => questions)
}

/** The call that a question is about, as it was received. */
export function callAskedAbout(
  { batch, asked }: WaitingBatch,
  approval: string,
  log: LogReader,
  engine: Engine,
): Received | null {
  const execution = asked.questions.find((question) => question.approval === approval)?.execution
  const at = batch.calls.findIndex((one) => one.execution === execution)
  return readAgain(batch, log, engine)[at] ?? null
}
