import type { Actor } from '../../core/call.ts'
import { digest } from '../../host/system/hash.ts'
import { carryOut, planRedo, planUndo } from '../../pipeline/after/revert.ts'
import type { RevertPlan, RevertReport } from '../../pipeline/after/revert.ts'
import type { UndoSelection } from '../../pipeline/after/select-calls.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Runtime, UndoOptions } from '../runtime.ts'
import type { Sessions } from './sessions.ts'

/** What undo and redo need. */
export interface RevertDeps {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly newId: () => string
  /** The actor if the options name none. */
  readonly defaultActor: Actor | null
  readonly defaultSession: string
}

/** Opens undo and redo. */
export function openReverts(parts: RevertDeps): Pick<Runtime, 'undo' | 'redo'> {
  const { sessions, workspace, newId, defaultActor, defaultSession } = parts

  async function revert(
    options: UndoOptions,
    plan: (log: SessionLog) => Promise<RevertPlan>,
  ): Promise<RevertReport> {
    const session = options.session ?? defaultSession
    const log = await (options.dryRun === true ? sessions.openToRead(session) : sessions.open(session))
    const planned = await plan(log)
    if (options.dryRun === true) return planned.report
    const { onProgress, actor } = options
    return carryOut(planned, { log, workspace, newId, digest, onProgress }, actor ?? defaultActor)
  }

  return {
    undo: (options = {}) => revert(options, (log) => planUndo(log, workspace, selectReverted(options))),
    redo: (options = {}) => revert(options, (log) => planRedo(log, workspace)),
  }
}

/** Turns undo options into a selection. */
function selectReverted({ calls, turn, last }: UndoOptions): UndoSelection {
  if (calls !== undefined) return { is: 'calls', executions: calls }
  return turn === true ? { is: 'turn' } : { is: 'last', count: last ?? 1 }
}
