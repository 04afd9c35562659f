import { systemClock } from '../../../../host/system/clock.ts'
import { adoptRoot } from '../../../../runtime/sessions/adopt-root.ts'
import type { ParsedLine } from '../../arguments.ts'
import { findWitnessed } from '../../open.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'

/** `tongs adopt OLD`: goes on with the history of a root that was renamed or moved here. */
export async function adopt(line: ParsedLine, terminal: Terminal): Promise<number> {
  const folders = await findWitnessed(line, terminal)
  const [from = ''] = line.words
  const done = await adoptRoot({ ...folders, from, clock: systemClock, isSure: line.has('--yes') })
  if (line.has('--json')) terminal.json(done)
  else if (done.ok)
    terminal.print(
      safe(
        `${folders.root} goes on with the history of ${done.from}: ${done.sessions} ${done.sessions === 1 ? 'session' : 'sessions'}. Grants and trust do not move with a folder, and files have to be read again before they are edited.`,
      ),
    )
  else terminal.warn(safe(`tongs: ${done.why}; ${done.hint}`))
  return done.ok ? 0 : 1
}
