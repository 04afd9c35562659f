import { readlinkSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { isBelow } from '../../confine/mount.ts'
import type { Effort } from './effort.ts'

/** A link and where it leads. */
export interface FoundLink {
  readonly path: string
  readonly target: string
}

/** Where a path leads with all links followed, though its end may not exist, and the links on the way. */
export interface FollowedName {
  readonly real: string
  readonly links: readonly FoundLink[]
  /** Folders that the path goes through and leaves again by `..`, also missing ones: a link there would lead elsewhere. */
  readonly left: readonly string[]
}

/** The kernel gives up after as many. */
const MAX_LINKS = 40
/** The kernel accepts no longer path. */
export const PATH_MAX = 4_096
/** Git starts a relative path in a folder that has one of that length itself. */
const MAX_LENGTH = 2 * PATH_MAX
/** The kernel accepts no longer name. */
const NAME_MAX = 255

/** Follows an absolute path part by part; null if it leads in a circle, or is too long to lead anywhere. */
export function followNamedPath(path: string, effort: Effort): FollowedName | null {
  const { isNowhere, ...followed } = traceNamedPath(path, effort)
  return isNowhere ? null : followed
}

/** The same, but of what leads nowhere what was passed before it was given up. */
export function traceNamedPath(path: string, effort: Effort): FollowedName & { readonly isNowhere: boolean } {
  effort.spend(path.length)
  const links: FoundLink[] = []
  const left = new Set<string>()
  const waiting = path
    .split('/')
    .filter((part) => part !== '')
    .toReversed()
  let real = '/'
  // What is below it is missing as well.
  let missing: string | null = null
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '.') continue
    if (part === '..') {
      effort.spend(real.length)
      left.add(real)
      real = dirname(real)
      if (missing !== null && real.length < missing.length) missing = null
      continue
    }
    const at: string = real === '/' ? `/${part}` : `${real}/${part}`
    if (at.length > MAX_LENGTH || Buffer.byteLength(part) > NAME_MAX)
      return { real, links, left: [...left], isNowhere: true }
    const kind = missing === null ? effort.kindOf(at) : 'missing'
    if (kind === 'missing') missing ??= at
    const target = kind === 'link' ? readLink(at) : null
    if (target === null) {
      real = at
      continue
    }
    links.push({ path: at, target })
    if (links.length > MAX_LINKS) return { real, links, left: [...left], isNowhere: true }
    if (target.startsWith('/')) real = '/'
    waiting.push(
      ...target
        .split('/')
        .filter((one) => one !== '')
        .toReversed(),
    )
  }
  return { real, links, left: [...left], isNowhere: false }
}

/** Joins paths as the kernel would: `..` is not resolved by name, because it may stand behind a link. */
export function pathFrom(base: string, path: string): string {
  return isAbsolute(path) ? path : `${base}/${path}`
}

/** The target of a link, or null if it is none any more. */
export function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** The innermost of some folders that a path is in, or null. */
export function holderOf(path: string, folders: readonly string[]): string | null {
  const holders = folders.filter((folder) => isBelow(path, resolve(folder)))
  return holders.toSorted((a, b) => b.length - a.length)[0] ?? null
}
