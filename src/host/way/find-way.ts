import { Buffer } from 'node:buffer'
import { constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '../fs/errno.ts'
import { closeReadOnly } from '../fs/plain-file.ts'
import { exactName, systemName } from '../root/exact-name.ts'
import { ioFailure, isOutage } from '../root/io-failure.ts'
import { O_PATH } from '../system/open-flags.ts'
import { platform } from '../system/platform.ts'
import { followWay } from './follow-way.ts'
import type { Step, Steps, Way } from './follow-way.ts'
import { kindIn, kindOrMissing } from './path-kind.ts'
import type { PathKind } from './path-kind.ts'
import { isLinkOfProcess, mayBeProcess } from './process-links.ts'

/** A path that is followed, and what is at its end. */
export interface FoundWay extends Way {
  /** Null if there is nothing; its name, kind and identity are all of one thing. */
  readonly place: { readonly real: string; readonly kind: PathKind; readonly identity: string } | null
}

/** An open folder, and its path without links. */
export interface OpenedStart {
  readonly fd: number
  readonly real: string
}

/**
 * Finds where an exact path leads, name by name. On Linux each is looked at in the open folder above it, so that what is
 * found was there, whatever other programs rename. A relative path starts in an open folder.
 */
export function findWay(path: string, start?: OpenedStart): FoundWay {
  if (path.includes('\0') || (start === undefined && !path.startsWith('/'))) return NOWHERE
  if (platform !== 'linux') return { ...followWay(path, stepsByName(kindOrMissing)), place: null }
  try {
    return findPlain(path, start) ?? findByNames(path, start)
  } catch (error) {
    throw ioFailure(error, 'look at', path)
  }
}

const NOWHERE: FoundWay = { end: 'nowhere', real: '/', links: [], left: [], place: null }

/** What a path leads to if no link is on its way, in few steps: then the system calls it by that very path. Else null. */
function findPlain(path: string, start: OpenedStart | undefined): FoundWay | null {
  const [way, named] =
    start === undefined ? [path, path] : [`${openedPath(start.fd)}/${path}`, `${start.real}/${path}`]
  const fd = openOrNull(systemName(way))
  if (fd === null) return null
  try {
    const place = placeIn(fd)
    return place.real === named && place.kind !== 'link'
      ? { end: 'there', real: named, links: [], left: [], place }
      : null
  } finally {
    closeReadOnly(fd)
  }
}

function findByNames(path: string, start: OpenedStart | undefined): FoundWay {
  const steps = new OpenedSteps(start?.fd)
  try {
    const way = followWay(path, steps, { from: start?.real ?? '/' })
    if (way.end !== 'there') return { ...way, place: null }
    const place = steps.place()
    return { ...way, real: place.real, place }
  } finally {
    steps.close()
  }
}

function placeIn(fd: number): NonNullable<FoundWay['place']> {
  const stats = fstatSync(fd, { bigint: true })
  return {
    real: exactName(readlinkSync(openedPath(fd), 'latin1')),
    kind: kindIn(stats),
    identity: placeIdentity(stats),
  }
}

/** Looks at names by their paths; for those who count what they look at, and for systems without open folders. */
export function stepsByName(kindOf: (path: string) => PathKind): Steps {
  return {
    toTop: () => undefined,
    toParent: () => undefined,
    take(name, at): Step {
      const kind = kindOf(at)
      const folder = systemName(dirname(at))
      if (kind === 'missing') return mayBeProcess(folder, name) ? { is: 'of a process' } : { is: kind }
      if (kind !== 'link') return { is: kind }
      if (isLinkOfProcess(folder)) return { is: 'of a process' }
      const target = readLink(at)
      return target === null ? { is: 'other' } : { is: 'link', target }
    },
  }
}

/** The target of a link, byte for byte; null if it is none any more. */
export function readLink(path: string): string | null {
  try {
    return exactName(readlinkSync(systemName(path), 'latin1'))
  } catch {
    return null
  }
}

/** A way to what a descriptor holds, whatever its name leads to by now. */
export function openedPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Device and inode, as a place is known by. */
export function placeIdentity({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`
}

/** Looks at each name in the open folder above it. */
class OpenedSteps implements Steps {
  #folder: number
  /** What the last step came to, if that is no folder. */
  #end: number | null = null

  constructor(start?: number) {
    this.#folder = openSync(start === undefined ? '/' : openedPath(start), O_PATH | constants.O_DIRECTORY)
  }

  toTop(): void {
    this.#enter(openSync('/', O_PATH | constants.O_DIRECTORY))
  }

  toParent(): void {
    this.#enter(openSync(`${openedPath(this.#folder)}/..`, O_PATH | constants.O_DIRECTORY))
  }

  take(name: string): Step {
    const folder = openedPath(this.#folder)
    const way = systemName(`${folder}/${name}`)
    for (;;) {
      const fd = openOrNull(way)
      if (fd === null) return mayBeProcess(folder, name) ? { is: 'of a process' } : { is: 'missing' }
      const is = kindIn(fstatSync(fd))
      if (is === 'folder') {
        this.#enter(fd)
        return { is }
      }
      if (is !== 'link') {
        this.#hold(fd)
        return { is }
      }
      closeReadOnly(fd)
      if (isLinkOfProcess(folder)) return { is: 'of a process' }
      const target = readLinkOrNull(way)
      // Otherwise something else has the name by now.
      if (target !== null) return { is: 'link', target }
    }
  }

  place(): NonNullable<FoundWay['place']> {
    return placeIn(this.#end ?? this.#folder)
  }

  close(): void {
    this.#hold(null)
    closeReadOnly(this.#folder)
  }

  #enter(fd: number): void {
    this.#hold(null)
    closeReadOnly(this.#folder)
    this.#folder = fd
  }

  #hold(fd: number | null): void {
    if (this.#end !== null) closeReadOnly(this.#end)
    this.#end = fd
  }
}

function openOrNull(way: string | Buffer): number | null {
  try {
    return openSync(way, O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    if (errnoOf(error) === null || isOutage(error)) throw error
    return null
  }
}

function readLinkOrNull(way: string | Buffer): string | null {
  try {
    return exactName(readlinkSync(way, 'latin1'))
  } catch (error) {
    if (errnoOf(error) === null || isOutage(error)) throw error
    return null
  }
}
