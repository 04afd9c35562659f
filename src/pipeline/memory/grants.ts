import type { Clock } from '../../core/clock.ts'
import type { Grant } from '../../core/grant.ts'
import type { GrantShelf } from '../../journal/grants/grant-store.ts'
import type { GrantCall } from '../../policy/grants/cover.ts'
import { grantFor, indexGrants } from '../../policy/grants/find-grant.ts'
import type { GrantIndex } from '../../policy/grants/find-grant.ts'

/** The grants of a root as they are at the moment, whichever process changed them last. */
export interface GrantKeeper {
  /** What there is for a call of a tool now; the call is looked at only if there is any grant for the tool. */
  readonly find: (tool: string, look: () => GrantCall) => FoundGrant
  readonly add: (grant: Grant) => void
  /** Counts one call that ran because of a grant. */
  readonly use: (id: string) => void
}

/** The narrowest grant that covers a call, and how many records for its tool something else than we wrote. */
export interface FoundGrant {
  readonly grant: Grant | null
  readonly ignoredGrants: number
}

/** Nothing was found, or looked for. */
export const UNGRANTED: FoundGrant = { grant: null, ignoredGrants: 0 }

/** Reads the grants of a root when they are first wanted, and again when they have changed. */
export function createGrantKeeper(shelf: () => GrantShelf, root: string, clock: Clock): GrantKeeper {
  let known: {
    readonly revision: number
    readonly index: GrantIndex
    readonly ignored: readonly string[]
  } | null = null
  /** The clock may be set back; what this process has once seen expire stays expired. */
  const start = { now: clock.now(), elapsed: clock.elapsed() }
  let latest = start.now

  function recall(): NonNullable<typeof known> {
    const revision = shelf().revision()
    if (known === null || known.revision !== revision) {
      const { grants, ignored } = shelf().read(root)
      const lasting = grants.filter(({ expires_at }) => expires_at === null || expires_at > latest)
      known = { revision, index: indexGrants(lasting), ignored: ignored.map(({ tool }) => tool) }
    }
    return known
  }

  return {
    find(tool, look) {
      const now = clock.now()
      latest = Math.max(latest, now, start.now + Math.floor(clock.elapsed() - start.elapsed))
      const { index, ignored } = recall()
      const ignoredGrants = ignored.filter((one) => one === tool).length
      if (!index.has(tool)) return ignoredGrants === 0 ? UNGRANTED : { grant: null, ignoredGrants }
      const call = look()
      const found = grantFor(index, call, now)
      if (found === null || found.expires_at === null || found.expires_at > latest)
        return { grant: found, ignoredGrants }
      known = null
      return { grant: grantFor(recall().index, call, now), ignoredGrants }
    },
    add: (grant) => shelf().add(root, grant),
    use: (id) => shelf().use(id),
  }
}
