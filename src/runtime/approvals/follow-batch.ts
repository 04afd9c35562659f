import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import type { ApprovalRequest } from '../../core/approval.ts'
import type { ToolResult } from '../../core/result.ts'
import { waitFor } from '../../core/wait.ts'
import type { LogReader } from '../../journal/log.ts'
import { openQuestions } from '../../pipeline/approve/open-questions.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { findWaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import { recordedRows, waitingRows } from '../../pipeline/resume/resume.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { sayOvertaken } from './choose-questions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import type { Decisions } from './make-decisions.ts'

/** What following needs. */
export interface FollowDeps {
  readonly sessions: Sessions
  readonly openEngine: () => Promise<Engine>
  /** The batches that this process goes on with. */
  readonly continuing: ReadonlyMap<string, unknown>
}

/** What was seen of a batch: its rows, unless it takes too long. */
export interface Followed {
  readonly results?: readonly ToolResult[]
  /** Questions that are open again. */
  readonly open?: readonly ApprovalRequest[]
  /** The answers that count. */
  readonly handed: readonly string[]
  readonly faults: readonly ChoiceFault[]
}

/**
 * Watches the log of a batch whose answers its owner has taken, until it is done or waits for another answer. An answer
 * that came second is a fault, which says what the first one was; so is one without a decision.
 */
export async function followBatch(
  target: Target,
  decisions: Decisions,
  deadline: number,
  { sessions, openEngine, continuing }: FollowDeps,
): Promise<Followed> {
  const { session, batch, seq, approvals } = target
  const engine = await openEngine()
  const log = sessions.peek(session)
  /** Whether the owner is landing what was asked about; in the log that looks as if its process had died. */
  const isGoingOn = async ({ isTakenUp }: WaitingBatch): Promise<boolean> =>
    isTakenUp && sessions.opened(session) === null && (await sessions.isInUse(session))
  for (;;) {
    const waiting = continuing.has(batch) ? null : findWaitingBatch(batch, log)
    const open = waiting === null ? [] : openQuestions(waiting, log, engine)
    const isDone = !log.openBatches().some((one) => one.batch === batch)
    const isLate = engine.clock.elapsed() >= deadline
    const isWaiting = waiting !== null && open.length > 0 && !(await isGoingOn(waiting))
    if (isDone || isLate || isWaiting) {
      const faults = findOvertaken(target, decisions, log)
      const handed = approvals.filter((id) => faults.every((fault) => fault.id !== id))
      if (isWaiting) return { results: waitingRows(waiting), open, handed, faults }
      return isDone ? { results: recordedRows(batch, log, seq), handed, faults } : { handed, faults }
    }
    await waitFor(INBOX_POLL_MS.answering)
  }
}

/** The answers that another one came before: those on record that are not the decisions given. */
function findOvertaken(
  { batch, seq, approvals }: Target,
  decisions: Decisions,
  log: LogReader,
): readonly ChoiceFault[] {
  const faults = new Map<string, ChoiceFault | null>()
  const seen = new Set<string>()
  for (const { entry } of log.entries(seq)) {
    // After a process has died, a landing may be answered again.
    if (entry.kind === 'continued' && entry.batch === batch) seen.clear()
    if (entry.kind !== 'answered' || !approvals.includes(entry.approval) || seen.has(entry.approval)) continue
    seen.add(entry.approval)
    const given = decisions.get(entry.approval)
    const isSame = given?.isApproved === entry.isApproved
    faults.set(entry.approval, isSame ? null : { id: entry.approval, why: sayOvertaken(entry) })
  }
  return [...faults.values()].filter((fault) => fault !== null)
}
