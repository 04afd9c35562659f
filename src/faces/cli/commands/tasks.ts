import type { ParsedLine } from '../arguments.ts'
import { chosenSession } from '../chosen-session.ts'
import { openRuntime } from '../open.ts'
import { safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs tasks`: the tasks, by session. */
export async function tasks(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const found = await runtime.tasks(chosenSession(line, runtime, terminal))
    if (line.has('--json')) terminal.json(found)
    else if (found.length === 0) terminal.print('Nothing to do.')
    else
      for (const { session: name, id, title, status } of found) {
        const mark = status === 'completed' ? terminal.paint('green', 'x') : ' '
        terminal.print(
          `[${mark}] ${safeWords(`${name}  ${id}  ${title}${status === 'open' || status === 'completed' ? '' : ` (${status})`}`)}`,
        )
      }
    return 0
  } finally {
    await runtime.close()
  }
}
