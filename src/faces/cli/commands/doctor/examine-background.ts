import { listLive } from '../../../../host/run/noted/live-commands.ts'
import type { DoctorLine } from './doctor-line.ts'

/** The commands that go on in the background, of every process that uses the state folder. */
export function examineBackground(stateDir: string): DoctorLine {
  const rows = listLive(stateDir).map(
    ({ execution, session, root, command }) => `${command} (${execution}, session ${session} of ${root})`,
  )
  return { name: 'in the background', value: rows, isFine: true }
}
