import { realpathSync } from 'node:fs'
import { joinRel, relativeTo } from './rel-path.ts'

/** Here links lead into the process itself and change from moment to moment: never a name for the root. */
const MAGIC = new Set(['proc', 'dev', 'sys'])

/**
 * What remains of an absolute path below the root: by its letters, or because a first part of it is an alias that
 * really lies in the root. The rest is not looked at; whoever uses it goes down from the open root.
 */
export function belowRoot(rootPath: string, absolute: string): string | null {
  const direct = relativeTo(rootPath, absolute)
  if (direct !== null) return direct
  const parts = absolute.split('/').filter((part) => part !== '' && part !== '.')
  if (MAGIC.has(parts[0] ?? '')) return null
  for (let used = 1; used <= parts.length; used++) {
    const real = realPath(`/${parts.slice(0, used).join('/')}`)
    if (real === null) return null
    const rel = relativeTo(rootPath, real)
    if (rel !== null) return joinRel(rel, parts.slice(used).join('/'))
  }
  return null
}

function realPath(absolute: string): string | null {
  try {
    return realpathSync.native(absolute)
  } catch {
    return null
  }
}
