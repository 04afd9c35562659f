import type { Buffer } from 'node:buffer'
import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { failure } from '../../../core/error.ts'
import { platform } from '../../system/platform.ts'
import { exactName, systemName } from '../exact-name.ts'

/** A folder as it was when it was looked at. Numbers of files can be too large for plain numbers on Windows. */
export interface PortablePlace {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
}

/** The real path of what is at a path, with forward slashes. */
export function realPath(path: string): string {
  const real = exactName(realpathSync.native(systemName(path), 'latin1'))
  return platform === 'windows' ? real.replaceAll('\\', '/') : real
}

/** The folder at a path that is its own real path, which it is only without links. */
export function portablePlaceOf(path: string): PortablePlace {
  if (realPath(path) !== path) throw replaced()
  const stats = lstatSync(systemName(path), { bigint: true })
  if (!stats.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  return { path, dev: stats.dev, ino: stats.ino }
}

/** Throws unless a place is still what it was. */
export function checkPlace(before: PortablePlace): void {
  const now = portablePlaceOf(before.path)
  if (now.dev !== before.dev || now.ino !== before.ino) throw replaced()
}

/** Whether an open file is what a path names now, without following a link at its end. */
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
