import type { AskedEntry } from '../../journal/entries/entry.ts'
import type { SessionReader } from '../../journal/log.ts'
import type { Run } from '../../pipeline/engine.ts'
import { findDamage } from '../../pipeline/approve/open-questions.ts'
import { isUnverified, UNVERIFIED } from '../../pipeline/log-doubt.ts'
import { findForgery } from '../../pipeline/seal-questions.ts'
import { isAnswerTo, sealOfYes } from '../../pipeline/approve/wait.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { Decisions } from './make-decisions.ts'

/** Why the log of a session cannot be relied on, found without owning it: it contradicts its anchor, or does not hold from a place on. */
export function findOutsideDoubt(log: SessionReader, fromSeq?: number): string | null {
  return log.verifies(fromSeq) ? null : UNVERIFIED
}

/** Why the log of a batch cannot be relied on: it does not hold from there, or Tongs did not record a yes in it here. */
export function findDoubt(
  { asked, earlier, seq, answers }: Pick<WaitingBatch, 'asked' | 'earlier' | 'seq' | 'answers'>,
  run: Run,
): string | null {
  if (isUnverified(run.log, seq)) return UNVERIFIED
  const entryOf = (approval: string): AskedEntry =>
    earlier.find(({ questions }) => questions.some((question) => question.approval === approval)) ?? asked
  const isGenuine = [...answers].every(
    ([approval, given]) =>
      !given.isApproved || given.seal === sealOfYes(entryOf(approval), approval, given, run),
  )
  return isGenuine
    ? null
    : 'an earlier yes to its batch has no valid seal: another version of Tongs, another path of the root or another program recorded it'
}

/** The same for a batch with questions, which have to be those that Tongs asked, about the calls that it received. */
export function findWaitingDoubt(waiting: WaitingBatch, run: Run): string | null {
  return findDoubt(waiting, run) ?? findForgery(waiting, run.log)
}

/** Why a yes to one of these questions cannot be taken: it was given to another one, or to one that is not whole. */
export function findAnswerDoubt(
  waiting: WaitingBatch,
  approvals: readonly string[],
  decisions: Decisions,
  { log }: Pick<Run, 'log'>,
): string | null {
  for (const approval of approvals) {
    const decision = decisions.get(approval)
    if (decision?.isApproved !== true || waiting.answers.has(approval)) continue
    const damage = findDamage(waiting, approval, log)
    if (damage !== null) return damage
    if (!isAnswerTo(decision, waiting.asked)) return 'it was given to another question'
  }
  return null
}
