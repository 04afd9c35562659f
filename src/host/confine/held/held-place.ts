import { closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { errnoOf } from '../../fs/errno.ts'
import { O_PATH } from '../../root/open-own.ts'
import { platform } from '../../system/platform.ts'
import { realPathOf } from '../inspect-path.ts'
import type { PathKind } from '../inspect-path.ts'

/** What a path led to when it was opened. A sandbox mounts only this, whatever takes its name afterwards. */
export interface HeldPlace {
  /** Without links. */
  readonly real: string
  readonly kind: PathKind
  /** Device and inode. */
  readonly identity: string
}

/** What a path leads to: its name, kind and identity are all of one thing. Null if it leads nowhere. */
export function findPlace(path: string): HeldPlace | null {
  try {
    if (platform !== 'linux') return placeOf(realPathOf(path), statSync(path, { bigint: true }))
    const fd = openSync(path, O_PATH)
    try {
      return placeOf(readlinkSync(openedPath(fd)), fstatSync(fd, { bigint: true }))
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

/** Opens a place to mount it; null if its name now leads to something else, or through a link. */
export function openPlace({ real, identity }: Pick<HeldPlace, 'real' | 'identity'>): number | null {
  let fd: number
  try {
    fd = openSync(real, O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
  const found = placeOf(readlinkSync(openedPath(fd)), fstatSync(fd, { bigint: true }))
  if (found?.real === real && found.identity === identity) return fd
  closeSync(fd)
  return null
}

/** A way to what a descriptor holds, whatever its name leads to by now. */
export function openedPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

function placeOf(real: string | null, stats: BigIntStats): HeldPlace | null {
  if (real === null) return null
  return { real, kind: kindIn(stats), identity: `${stats.dev}:${stats.ino}` }
}

function kindIn(stats: BigIntStats): PathKind {
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'folder' : 'other'
}
