import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failure } from '../../core/error.ts'
import { freeBytes } from '../system/resources.ts'
import { isInside } from './folders.ts'

/** In memory, and replaced by an empty folder in every sandbox. */
const IN_MEMORY = ['/dev/shm']
const ON_DISK = ['/tmp', '/var/tmp']

/**
 * A folder for files that live for a moment: the first that can be written and that lies in none of the roots, where
 * commands and tools could find what is ours. TMPDIR may well be inside a root.
 */
export function findPrivateFolder(prefer: 'memory' | 'disk', roots: readonly string[]): string {
  const disk = [tmpdir(), ...ON_DISK]
  const places = prefer === 'memory' ? [...IN_MEMORY, ...disk] : [...disk, ...IN_MEMORY]
  // Nothing is outside of the whole disk, and commands do not run with it as a root.
  const avoided = roots.filter((root) => root !== '/')
  const found = places.find((place) => isWritable(place) && !avoided.some((root) => isInside(place, root)))
  if (found !== undefined) return realpathSync(found)
  throw failure(
    'execution_failed',
    'There is no folder for temporary files that commands cannot reach.',
    { tried: places },
    ['Set TMPDIR to a folder outside the roots that can be written.'],
  )
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A folder for the current process, and how to remove it. */
export interface TemporaryFolder {
  readonly path: string
  readonly remove: () => void
}

/** Makes a private folder that has room for so many bytes; it is removed at the end of the process at the latest. */
export function makeTemporaryFolder(prefix: string, bytes: number): TemporaryFolder {
  const places = [tmpdir(), ...ON_DISK, ...IN_MEMORY].filter(isWritable)
  const place = places.find((one) => (freeBytes(one) ?? Infinity) >= bytes) ?? places[0] ?? tmpdir()
  const path = mkdtempSync(join(realpathSync(place), prefix))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, remove }
}
