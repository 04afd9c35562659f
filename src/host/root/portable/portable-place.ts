import type { Buffer } from 'node:buffer'
import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { failure } from '../../../core/error.ts'
import { platform } from '../../system/platform.ts'
import { exactName, systemName } from '../exact-name.ts'

/** A folder as it was when its stat was taken. On Windows, inode numbers can exceed safe integers. */
export interface PortablePlace {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
}

/** The real path of a path, with forward slashes. */
export function realPath(path: string): string {
  const real = exactName(realpathSync.native(systemName(path), 'latin1'))
  return platform === 'windows' ? real.replaceAll('\\', '/') : real
}

/** The folder at a path; throws if the path contains links, so that it is not its own real path. */
export function portablePlaceOf(path: string): PortablePlace {
  if (realPath(path) !== path) throw replaced()
  const stats = lstatSync(systemName(path), { bigint: true })
  if (!stats.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  return { path, dev: stats.dev, ino: stats.ino }
}

/** Throws unless the folder at a place is still the same. */
export function checkPlace(before: PortablePlace): void {
  const now = portablePlaceOf(before.path)
  if (now.dev !== before.dev || now.ino !== before.ino) throw replaced()
}

/** Whether an open file is the one that a path names now, without following a link at its end. */
export function isSameFile(fd: number, path: string | Buffer): boolean {
  const opened = fstatSync(fd, { bigint: true })
  const named = lstatSync(path, { bigint: true })
  return opened.dev === named.dev && opened.ino === named.ino
}

/** Where a link points. */
export function readTarget(path: string | Buffer): string {
  if (platform !== 'windows') return exactName(readlinkSync(path, 'latin1'))
  throw failure('execution_failed', `Cannot follow ${String(path)}: links are not followed on Windows.`, {}, [
    'Name the real file.',
  ])
}

function replaced(): Error {
  return Object.assign(new Error('a link is in the way'), { code: 'ELOOP' })
}
