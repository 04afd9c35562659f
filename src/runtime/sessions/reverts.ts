import type { Actor } from '../../core/call.ts'
import { carryOut, planRedo, planUndo } from '../../pipeline/after/revert.ts'
import type { RevertPlan, RevertReport, UndoSelection } from '../../pipeline/after/revert.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Runtime, UndoOptions } from '../runtime.ts'
import type { Sessions } from './sessions.ts'

/** What taking back and bringing back needs. */
export interface RevertParts {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly newId: () => string
  /** Who acts where nobody says. */
  readonly anybody: Actor | null
  readonly defaultSession: string
}

/** Opens undo and redo. */
export function openReverts(parts: RevertParts): Pick<Runtime, 'undo' | 'redo'> {
  const { sessions, workspace, newId, anybody, defaultSession } = parts

  async function revert(wish: UndoOptions, plan: (log: SessionLog) => RevertPlan): Promise<RevertReport> {
    const log = await sessions.open(wish.session ?? defaultSession)
    const planned = plan(log)
    if (wish.dryRun === true) return planned.report
    return carryOut(planned, log, workspace, newId(), wish.actor ?? anybody)
  }

  return {
    undo: (wish = {}) => revert(wish, (log) => planUndo(log, workspace, selectReverted(wish))),
    redo: (wish = {}) => revert(wish, (log) => planRedo(log, workspace)),
  }
}

/** What a wish to undo means. */
function selectReverted({ calls, turn, last }: UndoOptions): UndoSelection {
  if (calls !== undefined) return { is: 'calls', executions: calls }
  return turn === true ? { is: 'turn' } : { is: 'last', count: last ?? 1 }
}
