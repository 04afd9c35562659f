import type { ApprovalAnswers, ApprovalRequest, Asking } from '../core/approval.ts'

/** What an asker is told about the end of a question. */
type Ending = Pick<Asking, 'signal'> & Partial<Pick<Asking, 'seconds'>>

/**
 * Asks about one group of questions at a time, in the order in which they come. Conversations that are held side by side
 * may ask at the same moment, and of two questions on one screen nobody could tell which one a key answers. What is no
 * longer awaited when its turn comes is not asked. `elapsed` counts milliseconds.
 */
export function askInTurn<How extends Ending>(
  ask: (requests: readonly ApprovalRequest[], asking: How) => Promise<ApprovalAnswers>,
  elapsed: () => number,
): (requests: readonly ApprovalRequest[], asking: How) => Promise<ApprovalAnswers> {
  let last: Promise<unknown> = Promise.resolve()
  return (requests, asking) => {
    const from = elapsed()
    const answers = last.then(() => {
      if (asking.signal.aborted) return 'later'
      return ask(requests, withTimeLeft(asking, (elapsed() - from) / 1000))
    })
    last = answers.catch(() => undefined)
    return answers
  }
}

/** The time limit counts from the moment in which the question came. */
function withTimeLeft<How extends Ending>(asking: How, waited: number): How {
  return asking.seconds === undefined ? asking : { ...asking, seconds: Math.max(0, asking.seconds - waited) }
}
