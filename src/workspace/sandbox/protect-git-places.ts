import { dirname } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { findGitPlace, findGitPlaces } from '../../host/git/git-places.ts'
import type { GitPlaces } from '../../host/git/git-places.ts'
import { findCompleted, findNewRepository } from '../../host/git/new-repository.ts'
import { isInside } from '../../host/fs/folders.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { SandboxOptions } from './sandbox.ts'

/** As long as the steps of one edit take: planning, checking again, and putting in place. */
const TRUST_MS = 20
const MAX_CACHED = 512

/** What decides whether a path tool may write a file because of git. */
export interface GitProtection {
  readonly find: NonNullable<SandboxOptions['findProtection']>
  /** Discards what was found. Called whenever we may have changed what git obeys. */
  readonly forget: () => void
}

/** What the protection of path tools is told besides the roots. */
export interface GitProtectionOptions {
  /** The folders in the roots that have the names of a repository. */
  readonly namedLikeGit: () => readonly string[]
  readonly elapsed?: () => number
}

/**
 * Keeps path tools from the same files and folders that sandboxed commands cannot change: those that decide what git runs.
 * Neither can they make a repository. The places are found once for all steps of an edit: what another program changes in
 * that time is the same race as a change between the last check and the write.
 */
export function protectGitPlaces(
  roots: readonly string[],
  { namedLikeGit, elapsed = systemClock.elapsed }: GitProtectionOptions,
): GitProtection {
  const known = new Map<string, { readonly found: GitPlaces; readonly until: number }>()

  function placesFor(folder: string): GitPlaces {
    const cached = known.get(folder)
    if (cached !== undefined && elapsed() < cached.until) return cached.found
    const found = findGitPlaces(roots, folder)
    if (known.size >= MAX_CACHED) known.clear()
    known.set(folder, { found, until: elapsed() + TRUST_MS })
    return found
  }

  let named: { readonly found: readonly string[]; readonly until: number } | null = null
  const namedNow = (): readonly string[] => {
    if (named === null || elapsed() >= named.until)
      named = { found: namedLikeGit(), until: elapsed() + TRUST_MS }
    return named.found
  }

  return {
    find(absolute) {
      // A repository in another root may name something in this one.
      const others = roots.filter((root) => !isInside(absolute, root))
      for (const folder of [dirname(absolute), ...others]) {
        const found = placesFor(folder)
        if (!found.ok) return { path: null, why: found.why }
        const place = findGitPlace(found, absolute)
        if (place !== null) return place
      }
      try {
        const repository = findNewRepository(roots, absolute) ?? findCompleted(namedNow, absolute)
        const why = `it is part of what makes ${repository} a git repository, whose configuration git obeys`
        return repository === null ? null : { path: absolute, why }
      } catch (thrown) {
        if (thrown instanceof ToolFailure) return { path: null, why: thrown.message }
        throw thrown
      }
    },
    forget: () => {
      // Clearing makes a new table, and most calls find nothing to forget.
      if (known.size > 0) known.clear()
      named = null
    },
  }
}
