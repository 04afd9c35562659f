import type { Engine } from '../../pipeline/engine.ts'
import { findLandingObstacle } from '../../pipeline/execute/finish-landing.ts'
import { findWaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import type { GivenAnswer } from './make-decisions.ts'

/**
 * Finds the landings that a yes could not bring in place now, because the system refuses to change one of their files: the
 * question stays, so that the same yes can be given once the obstacle is gone.
 */
export async function findHindered(
  targets: readonly Target[],
  { isApproved, hunks: chosen }: Pick<GivenAnswer, 'isApproved' | 'hunks'>,
  sessions: Sessions,
  { workspace }: Engine,
): Promise<readonly ChoiceFault[]> {
  const faults: ChoiceFault[] = []
  for (const { session, batch, approvals } of isApproved ? targets : []) {
    const waiting = findWaitingBatch(batch, sessions.peek(session))
    for (const { approval, execution } of waiting?.asked.questions ?? []) {
      const landing = approvals.includes(approval) ? waiting?.landings.get(execution) : undefined
      if (landing === undefined) continue
      const { changes } = landing.entry
      const hunks = landing.rest?.hunks ?? null
      const taken =
        chosen === undefined || hunks === null
          ? changes
          : workspace.takeLayerHunks({ changes, hunks, chosen }).changes
      const obstacle = await findLandingObstacle(taken, workspace)
      if (obstacle === null) continue
      const why = obstacle.message.replace('Nothing was landed: ', '')
      faults.push({
        id: approval,
        why: `was not answered and still waits: ${why} Remove the obstacle, then approve it again`,
      })
    }
  }
  return faults
}
