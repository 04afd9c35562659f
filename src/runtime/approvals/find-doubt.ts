import type { AskedEntry } from '../../journal/entries/entry.ts'
import type { Run } from '../../pipeline/engine.ts'
import { sealOfYes } from '../../pipeline/approve/wait.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'

/** Why the log of a batch cannot be relied on: it does not hold from there, or Tongs did not record a yes in it here. */
export function findDoubt(
  { asked, earlier, seq, answers }: Pick<WaitingBatch, 'asked' | 'earlier' | 'seq' | 'answers'>,
  run: Run,
): string | null {
  if (run.log.breach !== null || !run.log.holdsFrom(seq))
    return 'the log of its session does not verify; run tongs audit verify'
  const entryOf = (approval: string): AskedEntry =>
    earlier.find(({ questions }) => questions.some((question) => question.approval === approval)) ?? asked
  const isGenuine = [...answers].every(
    ([approval, given]) =>
      !given.isApproved || given.seal === sealOfYes(entryOf(approval), approval, given, run),
  )
  return isGenuine
    ? null
    : 'an earlier yes to its batch has no valid seal: another version of Tongs, another path of the root or another program recorded it. Request the calls again; once these questions have expired, tongs recover --discard removes the batch'
}
