import { systemClock } from '../../../../host/system/clock.ts'
import { openForRoot } from '../../../../journal/access/moved-root.ts'
import { openStore } from '../../../../journal/open-store.ts'
import { isMadeElsewhere } from '../../../../pipeline/made-elsewhere.ts'
import type { Workspace } from '../../../../workspace/workspace.ts'
import type { DoctorLine } from './doctor-line.ts'

/** The commits that wait for a folder which another one has the place of; no line if there are none. */
export function examineUnfinished(
  stateDir: string,
  root: string,
  workspace: Workspace,
): readonly DoctorLine[] {
  const store = openForRoot(openStore({ stateDir, durability: 'normal', clock: systemClock }), root)
  try {
    const waiting = store.unlanded(root).filter((one) => {
      const about = (execution: string) => store.about({ session: one.session, execution })
      return isMadeElsewhere(one, { about }, workspace)
    })
    if (waiting.length === 0) return []
    const value = waiting.map(({ execution, session }) => `${execution} (session ${session.name})`).join('; ')
    const hint =
      'these were made in another folder that was here; put it back, and the next command finishes them'
    return [{ name: 'unfinished', value, isFine: false, hint }]
  } finally {
    store.close()
  }
}
