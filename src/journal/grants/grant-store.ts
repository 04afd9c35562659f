import type { Grant } from '../../core/grant.ts'

/** A record that is there and counts for nothing, because nobody vouches for it. */
export interface IgnoredGrant {
  readonly id: string
  readonly tool: string
  readonly why: string
}

/** The grants of a root: those that are as they were recorded, and those that are not. */
export interface ReadGrants {
  readonly grants: readonly Grant[]
  readonly ignored: readonly IgnoredGrant[]
}

/** Where grants are kept, over sessions and processes. */
export interface GrantShelf {
  /** Differs whenever a grant was added, revoked or removed since, by whatever process. */
  readonly revision: () => number
  readonly read: (root: string) => ReadGrants
  readonly add: (root: string, grant: Grant) => void
  /** Counts one use. */
  readonly use: (id: string) => void
  /** Ends a grant at a time. Null where there is no such record, or none that counts. */
  readonly revoke: (root: string, id: string, at: number) => Grant | null
  /** Takes away records of every root that ended before a time. */
  readonly prune: (endedBefore: number) => void
  /** Takes records away for good. */
  readonly remove: (root: string, ids: readonly string[]) => void
}
