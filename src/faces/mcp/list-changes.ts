import type { Clock } from '../../core/clock.ts'
import { systemClock } from '../../host/system/clock.ts'

/** A list that clients were given, and whether it still is that one. */
export interface ListChanges<T> {
  /** The list as it is now, for a client that asks. */
  readonly list: () => T
  /** Looks whether it has changed since a client asked, and tells it. */
  readonly look: () => void
}

/** Whom a list is followed for. */
export interface ListAudience {
  readonly tell: () => void
  /** Whether several clients are told together, so that what one of them has asked for is no news to it alone. */
  readonly isShared: boolean
  /** The least time between two looks. */
  readonly restMs: number
}

/** Follows a list whose making may throw; a client that asks is told why then. */
export function followList<T>(
  make: () => T,
  { tell, isShared, restMs }: ListAudience,
  clock: Clock = systemClock,
): ListChanges<T> {
  let known: string | null = null
  let lookedAt = -Infinity

  /** Notes what the list is now; returns whether that is news. */
  function note(list: T): boolean {
    const before = known
    known = JSON.stringify(list)
    return before !== null && before !== known
  }

  return {
    list() {
      const list = make()
      if (note(list) && isShared) tell()
      return list
    },
    look() {
      // A client that never asked has nothing that could be out of date.
      if (known === null || clock.elapsed() - lookedAt < restMs) return
      lookedAt = clock.elapsed()
      let list: T
      try {
        list = make()
      } catch {
        // No call fails because of them; a client that asks for the list is told what is wrong.
        return
      }
      if (note(list)) tell()
    },
  }
}
