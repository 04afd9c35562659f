import { readlinkSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { kindOrMissing } from '../confine/inspect-path.ts'
import { isBelow } from '../confine/mount.ts'

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

/** Follows an absolute path part by part; null if it leads in a circle. */
export function followNamedPath(path: string): FollowedName | null {
  const { isCircle, ...followed } = traceNamedPath(path)
  return isCircle ? null : followed
}

/** The same, but of a circle what was passed before it was given up. */
export function traceNamedPath(path: string): FollowedName & { readonly isCircle: boolean } {
  const links: FoundLink[] = []
  const left = new Set<string>()
  const waiting = path
    .split('/')
    .filter((part) => part !== '')
    .toReversed()
  // A long path of a repository of somebody else must not be copied for each of its parts.
  let real: string[] = []
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '.') continue
    if (part === '..') {
      if (real.length <= MOST_PARTS) left.add(pathOf(real))
      real.pop()
      continue
    }
    real.push(part)
    const at = real.length <= MOST_PARTS ? pathOf(real) : null
    const target = at !== null && kindOrMissing(at) === 'link' ? readLink(at) : null
    if (at === null || target === null) continue
    links.push({ path: at, target })
    if (links.length > MAX_LINKS)
      return { real: pathOf(real.slice(0, -1)), links, left: [...left], isCircle: true }
    if (target.startsWith('/')) real = []
    else real.pop()
    waiting.push(
      ...target
        .split('/')
        .filter((one) => one !== '')
        .toReversed(),
    )
  }
  return { real: pathOf(real), links, left: [...left], isCircle: false }
}

/** The system takes no longer path, and each part has a letter and a slash. */
const MOST_PARTS = 2_048

function pathOf(parts: readonly string[]): string {
  return `/${parts.join('/')}`
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
