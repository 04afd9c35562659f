import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Where a path leads. */
export interface FollowedPath {
  /** Every link on the way, by its own real path: changing one changes where the path leads. */
  readonly links: readonly string[]
  /** Where it ends, without links; what does not exist keeps its name. */
  readonly end: string
}

/** As many as the kernel follows. */
const MAX_LINKS = 40

/** Follows a path link by link. */
export function followPath(path: string): FollowedPath {
  const links: string[] = []
  let at = '/'
  const rest = resolve(path).split('/').filter(Boolean)
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = name === '..' ? dirname(at) : join(at, name)
    const target = readLinkAt(next)
    if (target === null || links.length >= MAX_LINKS) {
      at = next
      continue
    }
    links.push(next)
    rest.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'))
    if (target.startsWith('/')) at = '/'
  }
  return { links, end: at }
}

function readLinkAt(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null
  }
}

/**
 * The path of something by way of a folder that holds it, or null. Folders are compared as such and not by name, so
 * another spelling or a second mount of the folder makes no difference.
 */
export function pathInside(folder: string, path: string): string | null {
  const top = identityOf(folder)
  for (let at = path, below = ''; ;) {
    if (at === folder || (top !== null && identityOf(at) === top))
      return below === '' ? folder : join(folder, below)
    const above = dirname(at)
    if (above === at) return null
    below = join(at.slice(above === '/' ? 1 : above.length + 1), below)
    at = above
  }
}

function identityOf(folder: string): string | null {
  try {
    const { dev, ino } = statSync(folder, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** A path as a person writes it, with `~` for the home folder. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}
