import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../config/keys.ts'
import type { ServerSetting } from '../../config/kinds/servers-kind.ts'
import type { Clock } from '../../core/clock.ts'
import type { Tool } from '../../core/tool.ts'
import { keyFile } from '../../host/fs/folders.ts'
import type { StartedServer } from '../../servers/connect.ts'
import type { Definition, ReadDefinitions, RefusedTool } from '../../servers/definition.ts'
import type { ForeignServer } from '../../servers/foreign-server.ts'
import { confinementOf } from '../../servers/server-confinement.ts'
import { valuesToHide } from '../shell/child-environment.ts'
import { hasOwnToken } from './sign-in-at.ts'

/** How long a server has to answer before its first call, whatever the call allows. */
const LONGEST_START_MS = 30_000
const SHORTEST_SECRET = 8

/** A configured server and what is used of it. */
export interface OpenedServer {
  readonly name: string
  readonly setting: ServerSetting
  readonly server: ForeignServer
  /** What it listed last; null if nobody has asked it yet. */
  readonly listed: () => ReadDefinitions | null
  /** What the user has trusted; null if that is nothing. */
  readonly definitions: readonly Definition[] | null
  readonly tools: readonly Tool[]
  readonly refused: readonly RefusedTool[]
  /** Values of its entry that are not to be shown. */
  readonly secrets: readonly string[]
  /** What confines its program; null for an address. */
  readonly sandbox: string | null
  /** The tools that it no longer defines as they were trusted, by their names here. */
  readonly withheld: () => readonly string[]
}

/** What opening a server needs. */
export interface OpenerDeps {
  readonly settings: Settings
  readonly stateDir: string
  readonly clock: Clock
  /** Whether a tool of this name exists already. */
  readonly isTaken: (name: string) => boolean
  readonly start: (name: string, setting: ServerSetting) => Promise<StartedServer>
  /** Told that the servers have listed something. */
  readonly onListed: () => void
}

/** Opens a server as its entry says; one that was open with the same entry goes on. */
export type OpenServer = (
  name: string,
  setting: ServerSetting,
  before: OpenedServer | undefined,
) => OpenedServer

/** Loads what opening servers takes: most runtimes have none. */
export async function createOpener(deps: OpenerDeps): Promise<OpenServer> {
  const [
    { ForeignServer },
    { foreignTools, nameOf, isUsed },
    { connect },
    { fingerprint },
    pins,
    { readTrustedPins },
    { createTokenSource },
    { fillIn, revealValues },
  ] = await Promise.all([
    import('../../servers/foreign-server.ts'),
    import('../../servers/foreign-tool.ts'),
    import('../../servers/connect.ts'),
    import('../../servers/definition.ts'),
    import('../../servers/pins.ts'),
    import('./trusted-pins.ts'),
    import('../../servers/sign-in/token-source.ts'),
    import('./start-confined.ts'),
  ])
  const { settings, stateDir, clock, isTaken } = deps

  function reach(name: string, setting: ServerSetting): Pick<OpenedServer, 'server' | 'listed'> {
    const timeoutMs = Math.min(LONGEST_START_MS, setting.timeout_seconds * 1000)
    let listed: ReadDefinitions | null = null
    const server = new ForeignServer({
      name,
      clock,
      noteError: (why) => pins.noteError(stateDir, name, why),
      onListed: (found) => {
        listed = found
        deps.onListed()
      },
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
    return { server, listed: () => listed }
  }

  return (name, setting, before) => {
    const { server, listed } =
      before !== undefined && isSameEntry(before.setting, setting) ? before : reach(name, setting)
    const definitions = setting.enabled ? readTrustedPins(stateDir, name, setting.boundTo) : null
    const confinement = confinementOf(setting, settings)
    const secrets = secretsOf(setting, (text) => fillIn(text, () => ''))
    const { tools, refused } = foreignTools(
      { name, setting, server, clock, definitions: definitions ?? [], secrets, confinement },
      isTaken,
    )
    const withheld = (): readonly string[] => {
      const now = listed()
      if (now === null) return []
      const known = new Set(now.tools.map(fingerprint))
      return (definitions ?? [])
        .filter((one) => isUsed(one.name, setting) && !known.has(fingerprint(one)))
        .map((one) => nameOf(name, one.name))
    }
    return {
      name,
      setting,
      server,
      listed,
      definitions,
      tools,
      refused,
      secrets,
      sandbox: confinement.label,
      withheld,
    }
  }
}

/** Whether two entries start or reach the same server in the same way. */
function isSameEntry(one: ServerSetting, other: ServerSetting): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

function plain(setting: ServerSetting): object {
  return { ...setting, env: { ...setting.env.reveal() }, headers: { ...setting.headers.reveal() } }
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
