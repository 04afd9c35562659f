import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { errnoOf } from '../../fs/errno.ts'
import { folderStamp, stampOf } from './folder-stamp.ts'
import type { FolderStamp } from './folder-stamp.ts'
import { O_PATH } from '../../system/open-flags.ts'
import { platform } from '../../system/platform.ts'
import { openedPath } from '../../way/find-way.ts'
import { openPlace } from './held-place.ts'
import type { HeldPlace } from './held-place.ts'

/** A folder while it is looked at. */
export interface LookedFolder {
  /** Null if there is none. */
  readonly stamp: FolderStamp | null
  /** A path by which the system reaches it. */
  readonly way: string
}

/** How folders are reached. */
export type ReachFolder = <T>(folder: string, look: (found: LookedFolder) => T) => T

/** By their names, which may lead elsewhere at any moment. */
export const reachByName: ReachFolder = (folder, look) => look({ stamp: folderStamp(folder), way: folder })

/** A look at a folder that was judged. */
export interface HeldLook {
  readonly reach: ReachFolder
  /** Whether each folder that was reached is still what its name leads to. */
  readonly isSteady: () => boolean
}

/** What a name below a judged place leads to is not below it, or that place is another one by now. */
export class ElsewhereError extends Error {}

/**
 * Looks at a judged place through a descriptor, and at each folder in it by a name below that: whatever another process
 * puts in the place of one of them, nothing but what is in the place is taken for it. Elsewhere than on Linux, by names.
 */
export function lookThroughHandle<T>(place: HeldPlace, use: (look: HeldLook) => T): T {
  if (platform !== 'linux') return use({ reach: reachByName, isSteady: () => true })
  const top = openPlace(place)
  if (top === null) throw new ElsewhereError(place.real)
  const reached = new Map<string, string>()
  const open = (folder: string): number =>
    openSync(
      `${openedPath(top)}${folder.slice(place.real.length)}`,
      O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY,
    )
  const reach: ReachFolder = (folder, look) => {
    const fd = folder === place.real ? top : openOrNull(() => open(folder))
    if (fd === null) throw new ElsewhereError(folder)
    try {
      // A folder on the way may have been a link for a moment.
      if (readlinkSync(openedPath(fd)) !== folder) throw new ElsewhereError(folder)
      const stats = fstatSync(fd, { bigint: true })
      reached.set(folder, `${stats.dev}:${stats.ino}`)
      return look({ stamp: stampOf(stats), way: openedPath(fd) })
    } finally {
      if (fd !== top) closeSync(fd)
    }
  }
  const isStill = ([folder, identity]: readonly [string, string]): boolean => {
    if (folder === place.real) return readlinkSync(openedPath(top)) === folder
    const fd = openOrNull(() => open(folder))
    if (fd === null) return false
    try {
      return identify(fd) === identity
    } finally {
      closeSync(fd)
    }
  }
  try {
    return use({ reach, isSteady: () => [...reached].every(isStill) })
  } finally {
    closeSync(top)
  }
}

function openOrNull(open: () => number): number | null {
  try {
    return open()
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

function identify(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return `${dev}:${ino}`
}
