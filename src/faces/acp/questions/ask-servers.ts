import type { McpServer, McpServerStdio, PermissionOption } from '@agentclientprotocol/sdk'
import { servers as serversKind } from '../../../config/kinds/servers-kind.ts'
import type { ServerSetting } from '../../../config/kinds/servers-kind.ts'
import type { LoadedSettings } from '../../../config/load-settings.ts'
import { digest } from '../../../host/system/hash.ts'
import { failure } from '../../../core/error.ts'
import { ellipsis } from '../../../core/text/truncate.ts'
import { confinementOf } from '../../../servers/server-confinement.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import type { EditorSession } from '../editor-session.ts'
import { explain } from '../explain-error.ts'
import { askChoice } from './ask-choice.ts'
import { showEntry, showTools } from './show-server.ts'
import { literal } from './verbatim.ts'

const NAME_CHARS = 15
const DIGEST_CHARS = 8
const SHOWN_NAME = 80

/**
 * Asks about the MCP servers that a client handed over, before the first prompt that could use them. None is started
 * unasked, and none of their tools is used unseen. What was trusted once is bound to the program and its arguments.
 */
export async function settleServers(session: EditorSession, signal: AbortSignal): Promise<void> {
  const { handed } = session
  session.handed = []
  const used = new Map<string, ServerSetting>()
  for (const server of handed) {
    if (signal.aborted) return
    const reading = readServer(server)
    if (reading.is === 'unusable') {
      await refuse(session, server, reading.why)
      continue
    }
    const { settings } = session.runtime.configuration
    const { label, isUsual } = confinementOf(reading.setting, settings)
    const answer = await askChoice(session, signal, {
      id: `server-${reading.name}`,
      title: `Start the MCP server ${literal(shownName(server))}?`,
      text: showEntry(server, reading.setting, settings),
      options: !reading.isProgram ? START_REMOTE : isUsual ? START_PROGRAM : START_UNCONFINED,
    })
    if (answer === null || answer === 'no') continue
    used.set(reading.name, { ...reading.setting, network: answer === 'network' })
    try {
      await session.reopenNow({ adjust: addTo(used) })
      if (confinementOf(reading.setting, session.runtime.configuration.settings).label !== label)
        throw failure('execution_failed', 'What confines it is not what the question said any more.')
      if (!(await trust(session, reading.name, shownName(server), signal))) used.delete(reading.name)
    } catch (thrown) {
      used.delete(reading.name)
      await refuse(session, server, explain(thrown).message)
    }
    await session.reopenNow({ adjust: addTo(used) })
  }
}

function refuse({ client }: EditorSession, server: McpServer, why: string): Promise<void> {
  return client.notice(
    'warning',
    `The MCP server ${shownName(server)} is not used: ${spellOut(oneLine(why))}`,
  )
}

/** Its name may come from a project's settings. */
function shownName({ name }: McpServer): string {
  return ellipsis(spellOut(oneLine(name)), SHOWN_NAME)
}

const START_PROGRAM: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Start it, without network', kind: 'allow_once' },
  { optionId: 'network', name: 'Start it, with network', kind: 'allow_once' },
  { optionId: 'no', name: 'Do not use it', kind: 'reject_once' },
]
const START_UNCONFINED: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Start it, UNSANDBOXED', kind: 'allow_once' },
  { optionId: 'no', name: 'Do not use it', kind: 'reject_once' },
]
const START_REMOTE: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Connect to it', kind: 'allow_once' },
  { optionId: 'no', name: 'Do not use it', kind: 'reject_once' },
]
const USE_TOOLS: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Use these tools as they are now', kind: 'allow_always' },
  { optionId: 'no', name: 'Do not use them', kind: 'reject_once' },
]

type ReadServer =
  | { readonly is: 'unusable'; readonly why: string }
  | {
      readonly is: 'usable'
      readonly name: string
      readonly isProgram: boolean
      readonly setting: ServerSetting
    }

/** Reads an entry as the user's own would be read. */
function readServer(server: McpServer): ReadServer {
  if ('type' in server && server.type === 'sse')
    return { is: 'unusable', why: 'servers with SSE are not supported; use one over HTTP or a program.' }
  const isProgram = 'command' in server
  const values = isProgram ? server.env : server.headers
  // In the user's own file this stands for a variable of theirs, which a project's settings must not reach.
  if (values.some(({ value }) => value.includes('${')))
    return { is: 'unusable', why: 'its values refer to variables of this process.' }
  const table = Object.fromEntries(values.map((one) => [one.name, one.value]))
  const entry = isProgram
    ? { command: server.command, args: [...server.args], env: table, read: readableFor(server) }
    : { url: server.url, headers: table }
  const boundTo = digest(JSON.stringify(entry))
  const name = nameOf(server.name, boundTo)
  const reading = serversKind().read({ [name]: entry })
  if (!reading.ok) {
    const [fault] = reading.faults
    return {
      is: 'unusable',
      why: `${fault?.path.slice(1).join('.') ?? ''} ${fault?.message ?? 'is wrong'}.`.trim(),
    }
  }
  const setting = reading.value[name]
  return setting === undefined
    ? { is: 'unusable', why: 'it cannot be read.' }
    : { is: 'usable', name, isProgram, setting: { ...setting, boundTo } }
}

/** What a program is started with has to be readable for it, and nothing else of the user's is. */
function readableFor({ command, args }: McpServerStdio): string[] {
  return [...new Set([command, ...args].filter((word) => word.startsWith('/')))]
}

/** A name that tells what is started from most other programs; trust is bound to the whole digest. */
function nameOf(given: string, hash: string): string {
  const plain = given.replaceAll(/[^A-Za-z0-9]/g, '').replace(/^\d+/, '')
  return `${(plain || 'server').slice(0, NAME_CHARS)}-${hash.slice(0, DIGEST_CHARS)}`
}

function addTo(used: ReadonlyMap<string, ServerSetting>): (loaded: LoadedSettings) => LoadedSettings {
  const added = Object.fromEntries(used)
  return function add(loaded): LoadedSettings {
    const { reload } = loaded
    return {
      ...loaded,
      ...(reload === undefined ? {} : { reload: async () => add(await reload()) }),
      settings: { ...loaded.settings, 'mcp.servers': { ...loaded.settings['mcp.servers'], ...added } },
    }
  }
}

/** Shows what a server offers, unless exactly that was trusted before; true if it is to be used. */
async function trust(
  session: EditorSession,
  name: string,
  called: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { servers } = session.runtime
  const inspection = await servers.inspect(name)
  if (inspection.wasTrusted && inspection.diff === '') return true
  const answer = await askChoice(session, signal, {
    id: `tools-${name}`,
    title: `Use the ${inspection.definitions.length} tools of ${literal(called)}?`,
    text: showTools(inspection),
    options: USE_TOOLS,
  })
  if (answer !== 'yes') return false
  servers.trust(inspection)
  return true
}
