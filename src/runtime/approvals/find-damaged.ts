import { ASK_ANEW, findDamage } from '../../pipeline/approve/open-questions.ts'
import { findWaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import { findOutsideDoubt } from './find-doubt.ts'

/**
 * Finds the questions that a yes must not be given to, before it is left for the owner of their session: what was shown
 * of them is not what was asked.
 */
export function findDamaged(targets: readonly Target[], sessions: Sessions): readonly ChoiceFault[] {
  return targets.flatMap(({ session, batch, approvals }) => {
    const log = sessions.peek(session)
    const waiting = findWaitingBatch(batch, log)
    if (waiting === null) return []
    const doubt = findOutsideDoubt(log, waiting.seq)
    return approvals.flatMap((id) => {
      const why = doubt ?? findDamage(waiting, id, log)
      return why === null ? [] : [{ id, why: `was not answered, because ${why}. ${ASK_ANEW}` }]
    })
  })
}
