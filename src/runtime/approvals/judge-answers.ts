import type { Engine } from '../../pipeline/engine.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { chooseQuestions } from './choose-questions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import { findDamaged } from './find-damaged.ts'
import { findHindered } from './find-hindered.ts'
import { asksForGrant, makeDecisions } from './make-decisions.ts'
import type { Decisions, GivenAnswer } from './make-decisions.ts'

/** Which questions are answered and how; nothing is if there are faults. */
export interface Judgement {
  readonly targets: readonly Target[]
  readonly decisions: Decisions
  readonly faults: readonly ChoiceFault[]
}

/** Judges answers one after the other: a yes takes longer than a no, and of two at once the one given first counts all the same. */
export function createJudge(sessions: Sessions, openEngine: () => Promise<Engine>) {
  let last: Promise<unknown> = Promise.resolve()
  return (ids: readonly string[] | 'all', given: GivenAnswer, session?: string): Promise<Judgement> => {
    const judged = last.then(() => judge(ids, given, session))
    last = judged.catch(() => undefined)
    return judged
  }

  async function judge(
    ids: readonly string[] | 'all',
    given: GivenAnswer,
    session: string | undefined,
  ): Promise<Judgement> {
    const { targets, faults } = await chooseQuestions(ids, given.isApproved, sessions, session)
    if (faults.length > 0) return refused(faults)
    const isLate = ids !== 'all' && targets.some(({ approvals }) => approvals.length === 0)
    if (isLate && asksForGrant(given)) return refused(alreadyAnswered(ids, 'no grant was made'))
    if (isLate && given.hunks !== undefined) return refused(alreadyAnswered(ids, 'no hunks were chosen'))
    const damaged = given.isApproved ? findDamaged(targets, sessions) : []
    if (damaged.length > 0) return refused(damaged)
    const engine = await openEngine()
    const made = makeDecisions(targets, given, sessions, engine)
    if (made.faults.length > 0) return refused(made.faults)
    const hindered = await findHindered(targets, given, sessions, engine)
    return hindered.length > 0 ? refused(hindered) : { targets, decisions: made.decisions, faults: [] }
  }
}

function refused(faults: readonly ChoiceFault[]): Judgement {
  return { targets: [], decisions: new Map(), faults }
}

function alreadyAnswered(ids: readonly string[], left: string): readonly ChoiceFault[] {
  const why = `was already answered, and the first answer counts; ${left}`
  return ids.map((id) => ({ id, why }))
}
