import { KEY_NAMES } from '../../../config/keys.ts'
import { explainKey } from '../../../config/explain-key.ts'
import { parseLine } from '../arguments.ts'
import type { ParsedLine } from '../arguments.ts'
import { COMMANDS, COMMON_OPTIONS } from '../command-table.ts'
import { configure, openRuntime } from '../open.ts'
import type { Terminal } from '../terminal.ts'
import type { Runtime } from '../../../runtime/create-runtime.ts'
import type { Candidate, NameKind } from './find-candidates.ts'

/** More would not be read. */
const MOST_CALLS = 40

/** Looks names up for a shell, in the root and configuration that the line names. */
export function createLookUp(
  terminal: Terminal,
): (kind: NameKind, options: readonly string[]) => Promise<readonly Candidate[]> {
  return async (kind, options) => {
    const parsed = parseLine(['log', ...options], COMMANDS, COMMON_OPTIONS)
    if (!parsed.ok) return []
    const { line } = parsed
    switch (kind) {
      case 'key':
        return findKeys(line, terminal)
      case 'setting':
        return (await findKeys(line, terminal)).map(({ value, says }) => ({ value: `${value}=`, says }))
      case 'tool':
        return findTools(line, terminal)
      case 'server':
        return findServers(line, terminal)
      case 'session':
      case 'approval':
      case 'call':
      case 'grant': {
        const runtime = await openRuntime(line, terminal)
        try {
          return await FINDERS[kind](runtime)
        } finally {
          await runtime.close()
        }
      }
    }
  }
}

const FINDERS: Readonly<
  Record<'session' | 'approval' | 'call' | 'grant', (runtime: Runtime) => Promise<readonly Candidate[]>>
> = {
  async session(runtime) {
    const { listSessions } = await import('../../../agent/sessions/list-sessions.ts')
    return (await listSessions(runtime)).map(({ name, title }) => ({ value: name, says: title ?? '' }))
  },
  async approval(runtime) {
    const open = await runtime.pending()
    return [
      ...open.map(({ id, summary }) => ({ value: id, says: summary })),
      ...(open.length === 0 ? [] : [{ value: 'all', says: `all that wait, ${open.length} now` }]),
    ]
  },
  async call(runtime) {
    const settled = [...runtime.log({ last: MOST_CALLS * 4 })].flatMap(({ entry }) =>
      entry.kind === 'settled' ? [{ value: entry.execution, says: entry.name }] : [],
    )
    return settled.slice(-MOST_CALLS).toReversed()
  },
  async grant(runtime) {
    const { grants } = await runtime.grants()
    return grants
      .filter(({ standing }) => standing === 'standing')
      .map(({ id, sentence }) => ({ value: id, says: sentence }))
  },
}

async function findKeys(line: ParsedLine, terminal: Terminal): Promise<readonly Candidate[]> {
  const loaded = await configure(line, terminal)
  return KEY_NAMES.map((value) => {
    const explained = explainKey(loaded, value)
    return { value, says: explained.ok ? explained.sentence : '' }
  })
}

async function findTools(line: ParsedLine, terminal: Terminal): Promise<readonly Candidate[]> {
  const [{ builtInTools }, { registerTools }, { openToShow }] = await Promise.all([
    import('../../../tools/built-in.ts'),
    import('../../../runtime/servers/register-tools.ts'),
    import('../../../runtime/servers/open-servers.ts'),
  ])
  const { settings, stateDir } = await configure(line, terminal)
  const { registry } = await registerTools(settings, builtInTools, await openToShow(settings, stateDir))
  return registry.definitions.map(({ name, description }) => ({ value: name, says: description }))
}

async function findServers(line: ParsedLine, terminal: Terminal): Promise<readonly Candidate[]> {
  const { settings } = await configure(line, terminal)
  return Object.keys(settings['mcp.servers']).map((value) => ({ value, says: '' }))
}
