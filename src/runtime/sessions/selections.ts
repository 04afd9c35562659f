import { DAY_MS } from '../../core/clock.ts'
import type { ForgetSelection } from '../../journal/erase/forget.ts'
import type { UndoSelection } from '../../pipeline/after/revert.ts'
import type { Runtime, UndoOptions } from '../runtime.ts'

/** What a wish to forget means. */
export function selectForgotten(
  what: Parameters<Runtime['forget']>[0],
  root: string,
  now: number,
): ForgetSelection {
  if ('session' in what) return { is: 'session', session: { root, name: what.session } }
  if ('call' in what) return { is: 'call', prefix: what.call, root }
  return { is: 'before', time: now - what.olderThanDays * DAY_MS, root }
}

/** What a wish to undo means. */
export function selectReverted({ calls, turn, last }: UndoOptions): UndoSelection {
  if (calls !== undefined) return { is: 'calls', executions: calls }
  return turn === true ? { is: 'turn' } : { is: 'last', count: last ?? 1 }
}
