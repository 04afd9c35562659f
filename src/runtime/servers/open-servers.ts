import type { Settings } from '../../config/keys.ts'
import type { ServerSetting } from '../../config/kinds/servers-kind.ts'
import type { Clock } from '../../core/clock.ts'
import type { Tool } from '../../core/tool.ts'
import type { Definition, RefusedTool } from '../../servers/definition.ts'
import type { StartedServer } from '../../servers/connect.ts'
import { confinementOf } from '../../servers/server-confinement.ts'
import { systemClock } from '../../host/system/clock.ts'
import { isBuiltIn } from '../../tools/built-in.ts'
import { valuesToHide } from '../shell/child-environment.ts'
import { keyFile } from '../../host/fs/folders.ts'
import { hasOwnToken, isSignedIn, signInAt, signOutAt, unknownServer } from './sign-in-at.ts'
import type { SignInWay } from './sign-in-at.ts'

/** How a configured server stands. */
export interface ServerView {
  readonly name: string
  /** Its program or its address. */
  readonly where: string
  readonly state: 'off' | 'untrusted' | 'trusted'
  readonly effect: 'read' | 'external'
  /** What confines its program; null for an address. */
  readonly sandbox: string | null
  /** What its tools are called here. */
  readonly tools: readonly string[]
  readonly refused: readonly RefusedTool[]
  readonly lastError: string | null
  /** Whether the user has signed in at its address. */
  readonly isSignedIn: boolean
}

/** What a server offers now, compared with what was trusted. */
export interface ServerInspection {
  readonly name: string
  readonly definitions: readonly Definition[]
  readonly refused: readonly RefusedTool[]
  readonly wasTrusted: boolean
  /** What confines its program; null for an address. */
  readonly sandbox: string | null
  /** What changed since; everything if nothing was trusted. */
  readonly diff: string
}

/** The configured MCP servers. */
export interface Servers {
  /** Their trusted tools. */
  readonly tools: readonly Tool[]
  /** Servers in use whose tools nobody has trusted. */
  readonly untrusted: readonly string[]
  /** Values of variables and headers that are not to be shown. */
  readonly secrets: readonly string[]
  readonly list: () => readonly ServerView[]
  /** Starts the server and reads what it offers; rejects with a ToolFailure if it cannot. */
  readonly inspect: (name: string) => Promise<ServerInspection>
  /** Trusts what an inspection showed; used by runtimes that open from now on. */
  readonly trust: (inspection: ServerInspection) => void
  /** Signs the user in at the address of a server; rejects with a ToolFailure if it cannot. */
  readonly signIn: (name: string, how: SignInWay) => Promise<void>
  /** Forgets that; returns whether there was anything to forget. */
  readonly signOut: (name: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** What the servers of a runtime need. */
export interface ServersDeps {
  readonly settings: Settings
  readonly stateDir: string
  readonly clock: Clock
  /** Whether a tool of this name exists already. */
  readonly isTaken: (name: string) => boolean
  readonly start: (name: string, setting: ServerSetting) => Promise<StartedServer>
}

const NONE: Servers = {
  tools: [],
  untrusted: [],
  secrets: [],
  list: () => [],
  inspect: async (name) => {
    throw unknownServer(name)
  },
  trust: () => undefined,
  signIn: async (name) => {
    throw unknownServer(name)
  },
  signOut: async (name) => {
    throw unknownServer(name)
  },
  close: async () => undefined,
}

/** How long a server has to answer before its first call, whatever the call allows. */
const LONGEST_START_MS = 30_000
const SHORTEST_SECRET = 8

/** Makes the tools of the configured servers from what was trusted; no server is started for that. */
export async function openServers(deps: ServersDeps): Promise<Servers> {
  const { settings, stateDir, clock, isTaken } = deps
  const entries = Object.entries(settings['mcp.servers'])
  if (entries.length === 0) return NONE
  const [
    { ForeignServer },
    { foreignTools, isUsed },
    { connect },
    pins,
    { readTrustedPins, trustPins },
    { diffDefinitions },
    { createTokenSource },
  ] = await Promise.all([
    import('../../servers/foreign-server.ts'),
    import('../../servers/foreign-tool.ts'),
    import('../../servers/connect.ts'),
    import('../../servers/pins.ts'),
    import('./trusted-pins.ts'),
    import('../../servers/show-definition.ts'),
    import('../../servers/sign-in/token-source.ts'),
  ])
  const { fillIn, revealValues } = await import('./start-confined.ts')
  const opened = entries.map(([name, setting]) => {
    const timeoutMs = Math.min(LONGEST_START_MS, setting.timeout_seconds * 1000)
    const server = new ForeignServer({
      name,
      clock,
      noteError: (why) => pins.noteError(stateDir, name, why),
      open: async (onChange) =>
        connect(
          setting.url === null
            ? { is: 'process', ...(await deps.start(name, setting)) }
            : {
                is: 'url',
                url: setting.url,
                headers: revealValues(setting.headers),
                tokens: hasOwnToken(setting) ? null : createTokenSource(keyFile(process.env), setting.url),
              },
          onChange,
          timeoutMs,
        ),
    })
    const definitions = setting.enabled ? readTrustedPins(stateDir, name) : null
    const confinement = confinementOf(setting, settings)
    const secrets = secretsOf(setting, (text) => fillIn(text, () => ''))
    const { tools, refused } = foreignTools(
      { name, setting, server, clock, definitions: definitions ?? [], secrets, confinement },
      isTaken,
    )
    return { name, setting, server, definitions, tools, refused, secrets, sandbox: confinement.label }
  })
  return {
    tools: opened.flatMap(({ tools }) => tools),
    untrusted: opened.flatMap(({ name, setting, definitions }) =>
      setting.enabled && definitions === null ? [name] : [],
    ),
    secrets: opened.flatMap(({ secrets }) => secrets),
    list: () =>
      opened.map(({ name, setting, definitions, tools, refused, sandbox }) => ({
        name,
        where: setting.url ?? [setting.command ?? '', ...setting.args].join(' '),
        state: !setting.enabled ? 'off' : definitions === null ? 'untrusted' : 'trusted',
        effect: setting.effect,
        sandbox,
        tools: tools.map((tool) => tool.name),
        refused,
        lastError: pins.readLastError(stateDir, name),
        isSignedIn: isSignedIn(setting),
      })),
    async inspect(name) {
      const found = opened.find((one) => one.name === name)
      if (found === undefined) throw unknownServer(name)
      const listed = await found.server.list()
      const definitions = listed.tools.filter((tool) => isUsed(tool.name, found.setting))
      const before = readTrustedPins(stateDir, name)
      pins.noteError(stateDir, name, null)
      return {
        name,
        definitions,
        refused: listed.refused,
        wasTrusted: before !== null,
        sandbox: found.sandbox,
        diff: diffDefinitions(before ?? [], definitions),
      }
    },
    signIn: async (name, how) => {
      await signInAt(name, settings['mcp.servers'][name], how)
      pins.noteError(stateDir, name, null)
    },
    signOut: async (name) => signOutAt(name, settings['mcp.servers'][name]),
    trust: ({ name, definitions }) => trustPins(stateDir, name, definitions),
    close: async () => void (await Promise.all(opened.map(({ server }) => server.close()))),
  }
}

/** The configured servers for those who only show their tools; none is ever started. */
export async function openToShow(settings: Settings, stateDir: string): Promise<Servers> {
  return openServers({ settings, stateDir, clock: systemClock, isTaken: isBuiltIn, start: refuseStart })
}

async function refuseStart(name: string): Promise<StartedServer> {
  throw unknownServer(name)
}

/** The values themselves, and the words of those that have several, such as `Bearer` and a token. */
function secretsOf({ env, headers }: ServerSetting, fill: (text: string) => string): readonly string[] {
  const variables = [env, headers].flatMap((values) =>
    Object.entries(values.reveal()).flatMap(([name, text]) => {
      const value = fill(text)
      const words = value.split(' ').filter((word) => word.length >= SHORTEST_SECRET)
      return [...new Set([value, ...words])].map((one) => ({ name, value: one }))
    }),
  )
  return valuesToHide(variables.filter(({ value }) => value !== ''))
}
