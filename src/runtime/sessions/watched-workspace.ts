import type { FileChange } from '../../journal/entries/entry.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Sessions } from './sessions.ts'

/** The same workspace, whose landings are followed: what failed is tried again, what succeeded is synced one day. */
export function watchLandings(
  workspace: Workspace,
  sessions: Pick<Sessions, 'retryLandings' | 'noteLanded'>,
  onLanded: (changes: readonly FileChange[]) => void,
): Workspace {
  return {
    ...workspace,
    land: (execution, changes, contentOf) => {
      const landing = workspace.land(execution, changes, contentOf)
      if (landing.is === 'failed') sessions.retryLandings()
      if (landing.is === 'landed') {
        onLanded(changes)
        sessions.noteLanded()
      }
      return landing
    },
    confirm: (execution, elsewhere) => {
      // Whoever was about to change them may be dead; if so, the next call finishes that first.
      if (elsewhere.length > 0) sessions.retryLandings()
      workspace.confirm(execution, elsewhere)
    },
  }
}
