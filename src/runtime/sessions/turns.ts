import type { SessionLog } from '../../journal/log.ts'
import type { Run } from '../../pipeline/engine.ts'
import type { RuleHistory } from '../../pipeline/memory/rule-history.ts'
import type { RunOptions, TurnEnd } from '../runtime.ts'
import { viewError } from '../../core/error.ts'
import type { PassEnd } from '../../pipeline/resume/finish-pass.ts'

/** The turn and the pass that calls belong to: by default, the latest pass of the turn. */
export function placeInTurn(
  { turn: given, pass, isWakeUp = false, iteration, delegate }: RunOptions,
  log: SessionLog,
  rules: RuleHistory,
  newId: () => string,
): Pick<Run, 'turn' | 'pass' | 'isFreshTurn' | 'iteration'> {
  const turn = given ?? newId()
  // Only rules depend on the pass, so without rules the log need not be read for it.
  const isAskedFor = given !== undefined && rules.book.rules.length > 0
  const latest = (): string => (isAskedFor ? rules.passOf(log, turn) : turn)
  return {
    turn,
    pass: isWakeUp ? newId() : (pass ?? latest()),
    // The first calls of a delegated conversation come in the middle of a turn.
    isFreshTurn: given === undefined || (iteration === 1 && delegate === undefined),
    iteration: iteration ?? 1,
  }
}

/** The public form of the end of a pass. */
export function presentTurnEnd(end: PassEnd): TurnEnd {
  if (end.is === 'free')
    return { mayEnd: true, missing: end.unmet, escalation: 0, error: null, results: end.rows }
  const { missing, escalation, rows } = end
  return { mayEnd: false, missing, escalation, error: viewError(end.error, 'before'), results: rows }
}
