import { statSync } from 'node:fs'
import { failure } from '../../core/error.ts'
import { platform } from '../system/platform.ts'
import { errnoOf } from '../fs/errno.ts'
import { openLinuxRoot } from './linux/linux.ts'
import { realPath } from './portable/portable-place.ts'
import { openPortableRoot } from './portable/portable.ts'
import type { PortableWrites } from './portable/portable.ts'
import type { Root } from './root.ts'
import { showPath } from './rel-path.ts'

/** How a root is opened. */
export interface RootOptions {
  /** What happens to changes on systems without race-free file access; refused if absent. */
  readonly unsafeWrites?: PortableWrites
}

/** Opens a folder as a root; links in the path are resolved, and the root uses its real path from then on. */
export function openRoot(path: string, options: RootOptions = {}): Root {
  const real = findFolder(path)
  return platform === 'linux'
    ? openLinuxRoot(real)
    : openPortableRoot(real, options.unsafeWrites ?? 'refused')
}

function findFolder(path: string): string {
  const where = showPath(path)
  const next = ['Name an existing folder that you can open.']
  try {
    if (statSync(path).isDirectory()) return realPath(path)
  } catch (error) {
    const errno = errnoOf(error) ?? 'unknown'
    const why = errno === 'ENOENT' ? 'does not exist' : `cannot be opened (${errno})`
    throw failure('execution_failed', `The root ${where} ${why}.`, { path: where, errno }, next)
  }
  throw failure(
    'execution_failed',
    `The root ${where} is not a folder.`,
    { path: where, errno: 'ENOTDIR' },
    next,
  )
}
