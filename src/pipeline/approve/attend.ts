import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import type { ApprovalRequest, Decision } from '../../core/approval.ts'
import type { ToolResult } from '../../core/result.ts'
import type { Batch } from '../parse/declare-batch.ts'
import { askApprover } from './ask-approver.ts'
import type { Run } from '../engine.ts'
import { makeGrant } from './make-grant.ts'
import { continueBatch, findWaiting, waitingRows, writeAnswer } from './pending.ts'

/** The reason of an abort that ends the process and not the work: what waits goes on waiting. */
export const DRAINING = 'draining'

/** Waits for the person at hand, if there is one; the questions are on record already, so dying here loses nothing. */
export async function attend(
  batch: Batch,
  requests: readonly ApprovalRequest[],
  rows: readonly ToolResult[],
  run: Run,
): Promise<readonly ToolResult[]> {
  const { approve } = run
  if (approve === null || approve.isAttended !== true) return rows
  const answered = new Set<string>()
  const write = (approval: string, decision: Decision): void => {
    if (answered.has(approval)) return
    answered.add(approval)
    const execution = requests.find(({ id }) => id === approval)?.execution
    const call = batch.calls.find((one) => one.execution === execution)
    writeAnswer(batch.id, approval, call === undefined ? decision : makeGrant(decision, call, run), run.log)
  }
  const over = new AbortController()
  const elsewhere = hearElsewhere(requests, write, over.signal, run)
  const heard = await askApprover(requests, approve, run, elsewhere).finally(() => over.abort())
  if (heard.is === 'answered') {
    for (const [index, { id }] of requests.entries()) {
      const decision = heard.decisions[index]
      if (decision !== undefined) write(id, decision)
    }
  }
  const waiting = findWaiting(run.log).find((candidate) => candidate.batch.batch === batch.id)
  if (waiting === undefined) return rows
  const isPutOff = heard.is === 'later' || (heard.is === 'cancelled' && run.signal.reason === DRAINING)
  return isPutOff ? waitingRows(waiting) : continueBatch(waiting, run)
}

/** Takes answers from other processes as they come, until there is one for every question. */
async function hearElsewhere(
  requests: readonly ApprovalRequest[],
  write: (approval: string, decision: Decision) => void,
  signal: AbortSignal,
  { inbox }: Run,
): Promise<{ readonly is: 'elsewhere' }> {
  const open = new Set(requests.map(({ id }) => id))
  while (!signal.aborted) {
    for (const id of open) {
      const decision = inbox.take(id)
      if (decision === null) continue
      // Written down first: whoever left the answer takes its absence for a promise.
      write(id, decision)
      inbox.drop(id)
      open.delete(id)
    }
    if (open.size === 0) break
    await new Promise((resolve) => setTimeout(resolve, INBOX_POLL_MS.attended))
  }
  return { is: 'elsewhere' }
}
