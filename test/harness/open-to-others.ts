import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OTHERS_READ = 0o004
const OTHERS_PASS = 0o001

/** Whether a user whom nothing here belongs to can read a file or folder, and get through all folders above it. */
export function isOpenToOthers(path: string): boolean {
  const real = realpathIfThere(path)
  if (real === null || (statSync(real).mode & OTHERS_READ) === 0) return false
  const isFolder = statSync(real).isDirectory()
  for (let at = isFolder ? real : dirname(real); ; at = dirname(at)) {
    if ((statSync(at).mode & OTHERS_PASS) === 0) return false
    if (at === dirname(at)) return true
  }
}

function realpathIfThere(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
