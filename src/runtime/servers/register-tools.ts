import type { Settings } from '../../config/keys.ts'
import { createRegistry, SEARCH_TOOLS } from '../../core/registry.ts'
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
  servers: Pick<Servers, 'tools' | 'untrusted'>,
): Promise<RegisteredTools> {
  const hidden = own.some(({ name }) => name === SEARCH_TOOLS) ? [] : findLater(settings, servers.tools)
  const isLarge = sizeOf(hidden) > settings['mcp.advertise_bytes']
  const later = new Set(isLarge ? hidden.map(({ name }) => name) : [])
  const search = isLarge ? [(await import('../../servers/search-tools.ts')).createSearchTools(hidden)] : []
  const registry = createRegistry([...own, ...servers.tools, ...search], {
    unlisted: later,
    advise: (name) => adviseOn(name, servers.untrusted, isLarge),
  })
  return { registry, later }
}

/** What the definitions take of a request. */
function sizeOf(tools: readonly Tool[]): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return shown.length === 0 ? 0 : byteLength(JSON.stringify(shown))
}

/** What to do about a name that no tool has. */
function adviseOn(name: string, untrusted: readonly string[], canSearch: boolean): readonly string[] {
  const server = untrusted.find((one) => name.startsWith(`${one}__`))
  if (server !== undefined)
    return [
      `The MCP server ${server} is not trusted yet. Ask the user to look at its tools and to run: tongs mcp trust ${server}`,
    ]
  return canSearch ? [`Use ${SEARCH_TOOLS} to find tools of MCP servers by what they do.`] : []
}
