import { closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from 'node:fs'
import { errnoOf } from '../../fs/errno.ts'
import { exactName, systemName } from '../../root/exact-name.ts'
import { O_PATH } from '../../system/open-flags.ts'
import { platform } from '../../system/platform.ts'
import { findWay, openedPath, placeIdentity } from '../../way/find-way.ts'
import type { FoundWay } from '../../way/find-way.ts'
import { kindIn } from '../../way/path-kind.ts'
import type { PathKind } from '../../way/path-kind.ts'
import { realPathOf } from '../inspect-path.ts'

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
  return placeOn(path, findWay(path))
}

/** The same for a path that was followed. */
export function placeOn(path: string, way: FoundWay): HeldPlace | null {
  if (platform === 'linux') return way.place
  try {
    const stats = statSync(path, { bigint: true })
    const real = realPathOf(path)
    return real === null ? null : { real, kind: kindIn(stats), identity: placeIdentity(stats) }
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

/** Opens a place to mount it; null if its name now leads to something else, or through a link. */
export function openPlace({ real, identity }: Pick<HeldPlace, 'real' | 'identity'>): number | null {
  let fd: number
  try {
    fd = openSync(systemName(real), O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
  const isSame = exactName(readlinkSync(openedPath(fd), 'latin1')) === real
  if (isSame && placeIdentity(fstatSync(fd, { bigint: true })) === identity) return fd
  closeSync(fd)
  return null
}
