import type { Settings } from '../../config/keys.ts'
import type { ServerSettings } from '../../config/kinds/servers-kind.ts'
import type { LoadedSettings } from '../../config/load-settings.ts'
import { pathInside } from '../../host/fs/follow-path.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import { ConfigurationError } from '../configure/configuration-error.ts'
import { findOwnPlaces } from '../configure/own-places.ts'
import type { OwnFacts } from '../configure/own-places.ts'

/** The entries of servers in use, and the places of Tongs that follow from them. */
export interface GuardedServers {
  readonly entries: () => ServerSettings
  /** Every place of Tongs. Grows with the entries: whoever holds it sees the new ones. */
  readonly own: readonly OwnPath[]
  /** Takes over the entries as they are now; returns those that may be used. */
  readonly takeOver: (now: ServerSettings) => ServerSettings
}

/**
 * Keeps what servers are started with from commands and tools, also for servers that come later. An entry with a place in
 * a root is left to the next start: what is open already could be changing that place.
 */
export function guardServers(
  facts: OwnFacts & { readonly settings: Settings; readonly roots: readonly string[] },
): GuardedServers {
  const { settings, roots } = facts
  let entries = settings['mcp.servers']
  const placesOf = (servers: ServerSettings): readonly OwnPath[] =>
    findOwnPlaces({ ...facts, settings: { ...settings, 'mcp.servers': servers } })
  const own = [...placesOf(entries)]
  const addedBy = (servers: ServerSettings): readonly OwnPath[] =>
    placesOf(servers).filter(({ path, as }) => !own.some((one) => one.path === path && one.as === as))
  const isApart = ({ path }: OwnPath): boolean =>
    roots.every((root) => pathInside(root, path) === null && pathInside(path, root) === null)

  return {
    entries: () => entries,
    own,
    takeOver(now) {
      const usable = Object.entries(now).filter(([name, setting]) =>
        addedBy({ [name]: setting }).every(isApart),
      )
      entries = Object.assign(Object.create(null), Object.fromEntries(usable))
      own.push(...addedBy(entries))
      return entries
    },
  }
}

/** The entries as the configuration has them now; null if it cannot be read, so that everything stays as it is. */
export async function readServersAgain({ reload }: LoadedSettings): Promise<ServerSettings | null> {
  try {
    return (await reload?.())?.settings['mcp.servers'] ?? null
  } catch (error) {
    if (error instanceof ConfigurationError) return null
    throw error
  }
}
