import { forkSession } from '../../../../agent/sessions/fork-session.ts'
import { listSessions } from '../../../../agent/sessions/list-sessions.ts'
import type { ListedSession } from '../../../../agent/sessions/list-sessions.ts'
import { renameSession } from '../../../../agent/sessions/rename-session.ts'
import { shellWord } from '../../../../core/command/shell-word.ts'
import { userName } from '../../../../host/system/process.ts'
import type { Runtime } from '../../../../runtime/runtime.ts'
import type { ParsedLine } from '../../arguments.ts'
import { chosenSession, requireSession } from '../../chosen-session.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import { openRuntime } from '../../open.ts'
import { safe, safeWords } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'

/** On a terminal; more would scroll away the newest, which come first. */
const MOST_SHOWN = 20

/** `tongs sessions [rename NAME TITLE|fork NAME]`: lists, renames and forks the conversations of a root. */
export async function sessions(line: ParsedLine, terminal: Terminal): Promise<number> {
  const act = chooseAction(line)
  const runtime = await openRuntime(line, terminal)
  try {
    await act(runtime, line, terminal)
    return 0
  } finally {
    await runtime.close()
  }
}

type Action = (runtime: Runtime, line: ParsedLine, terminal: Terminal) => Promise<void>

function chooseAction(line: ParsedLine): Action {
  const [word, name, ...rest] = line.words
  if (word !== 'fork' && (line.has('--at') || line.has('--as')))
    throw new UsageError('only sessions fork takes --at and --as', 'usage: tongs sessions fork NAME')
  if (word === undefined) return list
  if (word === 'fork' && name !== undefined && rest.length === 0) return (...deps) => fork(name, ...deps)
  if (word === 'rename' && name !== undefined && rest.length > 0) {
    const title = rest.join(' ')
    if (title.trim() === '') throw new UsageError('the title is empty', 'give some text')
    return (...deps) => rename(name, title, ...deps)
  }
  throw new UsageError(
    `sessions does not take ${JSON.stringify(line.words.join(' '))}`,
    'usage: tongs sessions [rename NAME TITLE|fork NAME [--at CALL|MESSAGE] [--as NAME]]',
  )
}

async function list(runtime: Runtime, line: ParsedLine, terminal: Terminal): Promise<void> {
  const { session: named } = chosenSession(line, runtime, terminal)
  const most = terminal.isInteractive && !line.has('--json') ? MOST_SHOWN : undefined
  const found = runtime.counts({
    ...(named === undefined ? {} : { name: named }),
    ...(most === undefined ? {} : { most }),
  })
  const listed = await listSessions(runtime, found)
  if (line.has('--json')) return terminal.json({ sessions: listed })
  show(listed, terminal)
  const older = found.length === most ? runtime.sessions().length - found.length : 0
  if (older > 0)
    terminal.print(
      terminal.paint('dim', `${older} older ones are not shown; tongs sessions | less lists all`),
    )
}

async function rename(
  name: string,
  text: string,
  runtime: Runtime,
  line: ParsedLine,
  terminal: Terminal,
): Promise<void> {
  requireSession(name, runtime)
  const title = await renameSession(runtime, name, text, { id: userName() })
  if (line.has('--json')) terminal.json({ name, title })
  else terminal.print(safe(`${name} is now called: ${title}`))
}

async function fork(name: string, runtime: Runtime, line: ParsedLine, terminal: Terminal): Promise<void> {
  requireSession(name, runtime)
  const [at, as] = [line.value('--at'), line.value('--as')]
  const report = await forkSession(runtime, name, {
    ...(at === undefined ? {} : { at }),
    ...(as === undefined ? {} : { as }),
  })
  if (!report.ok) throw new NotFoundError(report.why, 'nothing was copied')
  const { session, messages, doubt } = report
  if (doubt !== null) terminal.warn(safe(`tongs: ${doubt}`))
  if (line.has('--json')) terminal.json({ name: session, from: name, messages })
  else
    terminal.print(
      safe(
        `${session} has a copy of ${messages} messages; continue it with tongs run --session ${shellWord(session)}`,
      ),
    )
}

function show(listed: readonly ListedSession[], terminal: Terminal): void {
  if (listed.length === 0) terminal.print('There are no sessions in this folder yet.')
  const rows = listed.flatMap((session) => {
    const { name, title, model, preset, messages, calls, updated_at: at, open } = session
    const time = new Date(at).toISOString().replace('T', ' ').slice(0, 16)
    const facts = [
      `${messages} messages, ${calls} calls`,
      ...(model === null ? [] : [model]),
      ...(preset === null ? [] : [`preset ${preset}`]),
      ...(open ? ['open in another process'] : []),
    ]
    return [
      safeWords(`${name}  ${time}  ${title ?? '(nothing was said)'}`),
      terminal.paint('dim', safe(`    ${facts.join(', ')}`)),
    ]
  })
  // Each row by itself would be a write of its own.
  if (rows.length > 0) terminal.print(rows.join('\n'))
}
