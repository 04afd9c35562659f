import { lstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

const OTHERS_MAY_WRITE = 0o022

/**
 * The first of these programs that only root can have installed: it and every folder above it belong to root, and no
 * other user may write to them. PATH is not used, because it may include the workspace.
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
