import { basename, dirname } from 'node:path'
import { findGitPlace, findGitPlaces, isHeadName } from '../../host/git/git-places.ts'
import type { SandboxOptions } from './sandbox.ts'

/**
 * Keeps path tools from the same files and folders that sandboxed commands cannot change: those that decide what git
 * runs. A folder becomes a repository by its HEAD, which may be the last part of it to be written, after a configuration
 * that nothing protected yet; so none is ever written.
 */
export function protectGitPlaces(roots: readonly string[]): NonNullable<SandboxOptions['findProtection']> {
  return (absolute) => {
    if (isHeadName(basename(absolute))) return { path: absolute, why: WHY_HEAD }
    const found = findGitPlaces(roots, dirname(absolute))
    return found.ok ? findGitPlace(found, absolute) : { path: null, why: found.why }
  }
}

const WHY_HEAD =
  'with it git may take its folder for a repository, and run what a configuration beside it names'
