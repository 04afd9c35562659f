import { dirname } from 'node:path'
import { findGitPlace, findGitPlaces } from '../../host/git/git-places.ts'
import { findNewRepository } from '../../host/git/new-repository.ts'
import type { SandboxOptions } from './sandbox.ts'

/**
 * Keeps path tools from the same files and folders that sandboxed commands cannot change: those that decide what git runs.
 * Neither can they make a repository.
 */
export function protectGitPlaces(roots: readonly string[]): NonNullable<SandboxOptions['findProtection']> {
  return (absolute) => {
    const found = findGitPlaces(roots, dirname(absolute))
    if (!found.ok) return { path: null, why: found.why }
    const place = findGitPlace(found, absolute)
    if (place !== null) return place
    const repository = findNewRepository(roots, absolute)
    const why = `it would make ${repository} a git repository, whose configuration git obeys`
    return repository === null ? null : { path: absolute, why }
  }
}
