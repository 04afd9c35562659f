import { viewError } from '../../core/error.ts'
import type { PassEnd } from '../../pipeline/resume/finish-pass.ts'
import type { TurnEnd } from '../runtime.ts'

/** The end of a pass as the outside is told of it. */
export function presentTurnEnd(end: PassEnd): TurnEnd {
  if (end.is === 'free') return { mayEnd: true, missing: [], escalation: 0, error: null, results: end.rows }
  const { missing, escalation, rows } = end
  return { mayEnd: false, missing, escalation, error: viewError(end.error, 'before'), results: rows }
}
