import { readAnswer } from '../core/approval.ts'
import type { ApprovalRequest } from '../core/approval.ts'
import type { ToolResult } from '../core/result.ts'
import type { Batch } from './declare.ts'
import type { House, Run } from './house.ts'
import { answerQuestion, continueBatch, findWaiting } from './pending.ts'

/** Waits for the person at hand, if there is one; the questions are on record already, so dying here loses nothing. */
export async function attend(
  batch: Batch,
  requests: readonly ApprovalRequest[],
  rows: readonly ToolResult[],
  house: House,
  run: Run,
): Promise<readonly ToolResult[]> {
  if (run.approve === null || run.approve.isAttended !== true) return rows
  const answers = await run.approve(requests)
  if (answers === 'later') return rows
  const waiting = findWaiting(run.log).find((candidate) => candidate.batch.batch === batch.id)
  if (waiting === undefined) return rows
  for (const [index, { id }] of requests.entries())
    answerQuestion(waiting, id, { ...readAnswer(answers[index]), actor: run.actor }, run.log)
  const answered = findWaiting(run.log).find((candidate) => candidate.batch.batch === batch.id)
  return answered === undefined ? rows : continueBatch(answered, house, run)
}
