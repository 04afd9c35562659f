import type { Clock } from '../../core/clock.ts'
import type { Grant } from '../../core/grant.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import type { GrantCall } from '../../policy/grants/cover.ts'
import { grantFor, indexGrants } from '../../policy/grants/find-grant.ts'
import type { GrantIndex } from '../../policy/grants/find-grant.ts'

/** The current grants of a root, including changes made by other processes. */
export interface Grants {
  /** Finds the grant for a call; the call is described only if the tool has any grant. */
  readonly find: (tool: string, describe: () => GrantCall) => FoundGrant
  readonly add: (grant: Grant) => void
  /** Counts one call that a grant allowed. */
  readonly use: (id: string) => void
}

/** The narrowest grant that covers a call, and how many records for its tool are ignored because tongs did not write them. */
export interface FoundGrant {
  readonly grant: Grant | null
  readonly ignoredGrants: number
}

/** No grant was found, or none was looked for. */
export const UNGRANTED: FoundGrant = { grant: null, ignoredGrants: 0 }

/** Reads the grants of a root when they are first needed, and again when they have changed. */
export function createGrants(store: () => GrantStore, root: string, clock: Clock): Grants {
  let known: {
    readonly revision: number
    readonly index: GrantIndex
    readonly ignored: readonly string[]
  } | null = null
  /** The clock may be set back; a grant that this process has seen expire stays expired. */
  const start = { now: clock.now(), elapsed: clock.elapsed() }
  let latest = start.now

  function readCurrent(): NonNullable<typeof known> {
    const revision = store().revision()
    if (known === null || known.revision !== revision) {
      const { grants, ignored } = store().read(root)
      const lasting = grants.filter(({ expires_at }) => expires_at === null || expires_at > latest)
      known = { revision, index: indexGrants(lasting), ignored: ignored.map(({ tool }) => tool) }
    }
    return known
  }

  return {
    find(tool, describe) {
      const now = clock.now()
      latest = Math.max(latest, now, start.now + Math.floor(clock.elapsed() - start.elapsed))
      const { index, ignored } = readCurrent()
      const ignoredGrants = ignored.filter((one) => one === tool).length
      if (!index.has(tool)) return ignoredGrants === 0 ? UNGRANTED : { grant: null, ignoredGrants }
      const call = describe()
      const found = grantFor(index, call, now)
      if (found === null || found.expires_at === null || found.expires_at > latest)
        return { grant: found, ignoredGrants }
      known = null
      return { grant: grantFor(readCurrent().index, call, now), ignoredGrants }
    },
    add: (grant) => store().add(root, grant),
    use: (id) => store().use(id),
  }
}
