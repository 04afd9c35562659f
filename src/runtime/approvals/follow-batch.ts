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
import { findOvertaken } from './choose-questions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import { findOutsideDoubt } from './find-doubt.ts'
import type { Decisions, GivenDecisions } from './make-decisions.ts'

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
  given: GivenDecisions,
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
      const untaken = isWaiting && !waiting.isTakenUp ? findUntaken(open, given.decisions) : []
      const faults = [...listOvertaken(target, given, log), ...untaken]
      const handed = approvals.filter((id) => faults.every((fault) => fault.id !== id))
      if (isWaiting) {
        const shown = openQuestions(waiting, log, engine, findOutsideDoubt(log))
        return { results: waitingRows(waiting), open: shown, handed, faults }
      }
      return isDone ? { results: recordedRows(batch, log, seq), handed, faults } : { handed, faults }
    }
    await waitFor(INBOX_POLL_MS.answering)
  }
}

/** The answers that the owner of the session did not take: what it asks is not what they were given to. */
function findUntaken(open: readonly ApprovalRequest[], decisions: Decisions): readonly ChoiceFault[] {
  const why =
    'was not taken by the process that owns the session: what it asks is not what was shown. See tongs pending'
  return open.flatMap(({ id }) => (decisions.has(id) ? [{ id, why }] : []))
}

/** The answers that another one came before: those on record that are not the decisions given. */
function listOvertaken(
  { batch, seq, approvals }: Target,
  { decisions, mayCount }: GivenDecisions,
  log: LogReader,
): readonly ChoiceFault[] {
  const faults = new Map<string, ChoiceFault | null>()
  const seen = new Set<string>()
  for (const { entry } of log.entries(seq)) {
    // After a process has died, a landing may be answered again.
    if (entry.kind === 'continued' && entry.batch === batch) seen.clear()
    if (entry.kind !== 'answered' || !approvals.includes(entry.approval) || seen.has(entry.approval)) continue
    seen.add(entry.approval)
    faults.set(entry.approval, findOvertaken(entry, decisions.get(entry.approval), mayCount(entry.approval)))
  }
  return [...faults.values()].filter((fault) => fault !== null)
}
