import { readAnswer } from '../../core/approval.ts'
import type { ApprovalRequest, Approver, Asking, AskingEnd, Decision, Refusal } from '../../core/approval.ts'
import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import type { Run } from '../engine.ts'

/** What came of asking: one decision per question, the wish to be asked later, or nobody wants to know any more. */
export type ApproverAnswers =
  | { readonly is: 'answered'; readonly decisions: readonly Decision[] }
  | { readonly is: 'later' }
  | { readonly is: 'cancelled' }

/**
 * Asks whoever answers, and waits no longer than is allowed. Silence, nonsense and a broken answerer all mean no.
 * `elsewhere` is another way the questions may come to their end.
 */
export async function askApprover<Other = never>(
  requests: readonly ApprovalRequest[],
  approve: Approver,
  run: Run,
  elsewhere: Promise<Other> = new Promise<never>(() => undefined),
): Promise<ApproverAnswers | Other> {
  const { engine } = run
  if (run.signal.aborted) return { is: 'cancelled' }
  const seconds = engine.settings['tools.permission_timeout_seconds']
  const grantSeconds = engine.settings['tools.approval.grant_seconds']
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let onCancel: (() => void) | undefined
  const ended = new Promise<ApproverAnswers>((resolve) => {
    timer = setTimeout(
      () => {
        over.abort('silence' satisfies AskingEnd)
        resolve(refuseAll(requests, 'silence'))
      },
      Math.min(seconds * 1000, LONGEST_TIMER_MS),
    )
    onCancel = () => {
      over.abort('cancelled' satisfies AskingEnd)
      resolve({ is: 'cancelled' })
    }
    run.signal.addEventListener('abort', onCancel, { once: true })
  })
  try {
    const spoken = callApprover(requests, approve, { signal: over.signal, seconds, grantSeconds }, run)
    return await Promise.race([spoken, elsewhere, ended])
  } finally {
    clearTimeout(timer)
    if (onCancel !== undefined) run.signal.removeEventListener('abort', onCancel)
    over.abort('elsewhere' satisfies AskingEnd)
  }
}

async function callApprover(
  requests: readonly ApprovalRequest[],
  approve: Approver,
  asking: Asking,
  run: Run,
): Promise<ApproverAnswers> {
  try {
    const answers: unknown = await approve(requests, asking)
    if (answers === 'later') return { is: 'later' }
    const list: readonly unknown[] = Array.isArray(answers) ? answers : []
    const decisions = requests.map((_, index) => ({ ...readAnswer(list[index]), actor: run.actor }))
    return { is: 'answered', decisions }
  } catch {
    return refuseAll(requests, 'broken')
  }
}

function refuseAll(requests: readonly ApprovalRequest[], refusal: Refusal): ApproverAnswers {
  return {
    is: 'answered',
    decisions: requests.map(() => ({ isApproved: false, say: null, actor: null, refusal })),
  }
}
