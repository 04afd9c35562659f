import { listSessions } from '../../../agent/sessions/list-sessions.ts'
import type { ListedSession } from '../../../agent/sessions/list-sessions.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs sessions`: the conversations of a root, the last used first. */
export async function sessions(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const named = line.value('--session')
    const listed = (await listSessions(runtime)).filter(({ name }) => named === undefined || name === named)
    if (line.has('--json')) terminal.json({ sessions: listed })
    else show(listed, terminal)
    return 0
  } finally {
    await runtime.close()
  }
}

function show(listed: readonly ListedSession[], terminal: Terminal): void {
  if (listed.length === 0) terminal.print('There are no sessions in this folder yet.')
  for (const session of listed) {
    const { name, title, model, preset, messages, calls, updated_at: at, open } = session
    const time = new Date(at).toISOString().replace('T', ' ').slice(0, 16)
    const facts = [
      `${messages} messages, ${calls} calls`,
      ...(model === null ? [] : [model]),
      ...(preset === null ? [] : [`preset ${preset}`]),
      ...(open ? ['open in another process'] : []),
    ]
    terminal.print(safe(`${name}  ${time}  ${title ?? '(nothing was said)'}`))
    terminal.print(terminal.paint('dim', safe(`    ${facts.join(', ')}`)))
  }
}
