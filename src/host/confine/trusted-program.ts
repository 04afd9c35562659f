import { lstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

const OTHERS_MAY_WRITE = 0o022

/**
 * The first of these programs that only the system's owner can have put there: it and every folder above it belong to
 * root and nobody else may write to them. PATH is never asked, as a workspace may stand on it.
 */
export function findTrustedProgram(candidates: readonly string[]): string | null {
  return candidates.find(isTrusted) ?? null
}

function isTrusted(path: string): boolean {
  try {
    const real = realpathSync(path)
    if (!lstatSync(real).isFile()) return false
    for (let at = real; ; at = dirname(at)) {
      const found = lstatSync(at)
      if (found.uid !== 0 || (found.mode & OTHERS_MAY_WRITE) !== 0) return false
      if (at === '/') return true
    }
  } catch {
    return false
  }
}
