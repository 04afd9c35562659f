import type { Grant } from '../../core/grant.ts'
import type { Digest } from '../entries/entry.ts'

/** Why a grant with an id that was revoked is ignored. */
export const PUT_BACK = 'it was revoked; an old record of it was put back'

/** A stored grant that is ignored because nothing vouches for it. */
export interface IgnoredGrant {
  readonly id: string
  readonly tool: string
  readonly why: string
}

/** The valid and the ignored grants of a root. */
export interface ReadGrants {
  readonly grants: readonly Grant[]
  readonly ignored: readonly IgnoredGrant[]
}

/** Stores grants across sessions and processes. */
export interface GrantStore {
  /** Changes whenever any process adds, revokes or removes a grant. */
  readonly revision: () => number
  readonly read: (root: string) => ReadGrants
  /**
   * The grants of a root, by id, whose time was over when something was recorded since they were given: they stay expired
   * although the clock was set back.
   */
  readonly outlived: (root: string) => ReadonlySet<string>
  /** A hash of a text that only this state folder can make, so that a value can be remembered without being stored. */
  readonly hashValue: (text: string) => string
  /** Seals an answer that is left for another process; a program without the key of this state folder cannot. */
  readonly sealAnswer: (text: string) => string
  /** Notes that a text with this digest is trusted as something, or that nothing is any more; only what was noted last counts. */
  readonly noteTrust: (what: string, as: Digest | null) => void
  /** Notes that answers, by their names, were taken back before they counted. */
  readonly noteWithdrawn: (answers: readonly string[]) => void
  /** Whether an answer was taken back; it may have been if the chain of grants does not hold. */
  readonly mayBeWithdrawn: (answer: string) => boolean
  /** Adds a grant. An id that was revoked never counts again. */
  readonly add: (root: string, grant: Grant) => void
  /** Counts one use. */
  readonly use: (id: string) => void
  /** Revokes a grant as of a time. Null if there is no valid grant with this id. */
  readonly revoke: (root: string, id: string, at: number) => Grant | null
  /** Removes grants of all roots that ended before a time. */
  readonly prune: (endedBefore: number) => void
  /** Removes grants. */
  readonly remove: (root: string, ids: readonly string[]) => void
}
