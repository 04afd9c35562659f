import { dirname } from 'node:path'
import { findGitPlace, findGitPlaces } from '../../host/git/git-places.ts'
import type { SandboxOptions } from './sandbox.ts'

/** Keeps path tools from the same files and folders that sandboxed commands cannot change: those that decide what git runs. */
export function protectGitPlaces(roots: readonly string[]): NonNullable<SandboxOptions['findProtection']> {
  return (absolute) => {
    const found = findGitPlaces(roots, dirname(absolute))
    return found.ok ? findGitPlace(found, absolute) : { path: null, why: found.why }
  }
}
