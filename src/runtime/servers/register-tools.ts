import type { Settings } from '../../config/keys.ts'
import { createRegistry, SEARCH_TOOLS, SERVER_SEPARATOR } from '../../core/registry.ts'
import type { Registry } from '../../core/registry.ts'
import { byteLength } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'
import { findLater } from '../configure/advertise.ts'
import type { Servers } from './open-servers.ts'

/** All tools of a runtime, and those of MCP servers that a model is told about only once it has found them. */
export interface RegisteredTools {
  readonly registry: Registry
  readonly later: ReadonlySet<string>
}

/** Collects our own tools and those of servers; if the latter are large together, one more that finds them. */
export async function registerTools(
  settings: Settings,
  own: readonly Tool[],
  servers: Pick<Servers, 'tools' | 'untrusted' | 'withheld'>,
): Promise<RegisteredTools> {
  const { tools, withheld, untrusted } = servers
  const shown = tools.filter(({ name }) => !withheld.has(name))
  const hidden = own.some(({ name }) => name === SEARCH_TOOLS) ? [] : findLater(settings, shown)
  const isLarge = sizeOf(hidden) > settings['mcp.advertise_bytes']
  const later = new Set(isLarge ? hidden.map(({ name }) => name) : [])
  const search = isLarge ? [(await import('../../servers/search-tools.ts')).createSearchTools(hidden)] : []
  const registry = createRegistry([...own, ...tools, ...search], {
    unlisted: later,
    withheld,
    advise: (name) => adviseOn(name, untrusted, isLarge),
  })
  return { registry, later }
}

/** The same as they are at any time: whoever holds it sees what becomes of the servers. */
export async function registerLiveTools(
  settings: Settings,
  own: readonly Tool[],
  servers: Servers,
): Promise<RegisteredTools> {
  let now = await registerTools(settings, own, servers)
  servers.follow(async () => {
    now = await registerTools(settings, own, servers)
  })
  return {
    get later() {
      return now.later
    },
    registry: {
      find: (name) => now.registry.find(name),
      get names() {
        return now.registry.names
      },
      get definitions() {
        return now.registry.definitions
      },
      get listed() {
        return now.registry.listed
      },
      advise: (name) => now.registry.advise(name),
      nearest: (name) => now.registry.nearest(name),
      successor: (name) => now.registry.successor(name),
    },
  }
}

/** What the definitions take of a request. */
function sizeOf(tools: readonly Tool[]): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return shown.length === 0 ? 0 : byteLength(JSON.stringify(shown))
}

/** What to do about a name that no tool has. */
function adviseOn(name: string, untrusted: readonly string[], canSearch: boolean): readonly string[] {
  const server = untrusted.find((one) => name.startsWith(`${one}${SERVER_SEPARATOR}`))
  if (server !== undefined)
    return [
      `The MCP server ${server} is not trusted yet. Ask the user to look at its tools and to run: tongs mcp trust ${server}`,
    ]
  return canSearch ? [`Use ${SEARCH_TOOLS} to find tools of MCP servers by what they do.`] : []
}
