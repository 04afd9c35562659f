import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Layer, LayerPart } from '../../core/layer.ts'
import { isBelow } from '../confine/mount.ts'
import { readFolderAttributes } from '../fs/attributes.ts'
import { LIVE } from '../git/path-view.ts'
import type { PathView } from '../git/path-view.ts'
import { markOf, nameFor } from './folder-marks.ts'
import type { FolderMark } from './folder-marks.ts'
import { UPPER } from './layer.ts'

/** Where something that shows on a layer lies. */
interface Place {
  /** What was written there, or null. */
  readonly upper: string | null
  /** What shows of the workspace, or null. */
  readonly lower: string | null
}

/** As many links as the system follows. */
const MOST_LINKS = 40

/** What the commands of a call see: the workspace with what they wrote on its layer. */
export function viewThrough(layer: Layer): PathView {
  const marks = new Map<string, FolderMark>()

  const markAt = (part: LayerPart, upper: string): FolderMark => {
    const known = marks.get(upper) ?? readMark(join(part.folder, UPPER), upper)
    marks.set(upper, known)
    return known
  }

  const step = (part: LayerPart, { upper, lower }: Place, name: string): Place | null => {
    const above = upper === null ? null : join(upper, name)
    const written = above === null ? undefined : statOf(above)
    const below = lower === null ? null : join(lower, name)
    if (above === null || written === undefined) return below === null ? null : { upper: null, lower: below }
    // A device that no command can make: the name is gone.
    if (written.isCharacterDevice() && written.rdev === 0) return null
    if (!written.isDirectory()) return { upper: above, lower: null }
    const { isOpaque, redirect } = markAt(part, above)
    if (isOpaque) return { upper: above, lower: null }
    if (redirect === null) return { upper: above, lower: below }
    if (redirect.startsWith('/')) return { upper: above, lower: join(part.root, redirect) }
    return { upper: above, lower: lower === null ? null : join(lower, redirect) }
  }

  /** Follows links on the way, and at the end if asked to. */
  const find = (path: string, isFollowed: boolean, links = MOST_LINKS): Place | null => {
    const part = layer.parts.find(({ root }) => isBelow(path, root))
    if (part === undefined) return { upper: null, lower: path }
    let place: Place | null = { upper: join(part.folder, UPPER), lower: part.root }
    const names = relative(part.root, path).split('/').filter(Boolean)
    for (const [at, name] of names.entries()) {
      place = step(part, place, name)
      if (place === null) return null
      const target = at < names.length - 1 || isFollowed ? linkAt(place) : null
      if (target === null) continue
      if (links === 0) return null
      const shown = join(part.root, ...names.slice(0, at + 1))
      return find(resolve(dirname(shown), target, ...names.slice(at + 1)), isFollowed, links - 1)
    }
    return place
  }

  const fileAt = (path: string, isFollowed: boolean): string | null => {
    const place = find(path, isFollowed)
    return place === null ? null : (place.upper ?? place.lower)
  }

  return {
    kindOf: (path) => {
      const file = fileAt(path, false)
      return file === null ? 'missing' : LIVE.kindOf(file)
    },
    namesIn: (folder) => {
      const place = find(folder, true)
      if (place === null) return []
      const written = place.upper === null ? [] : LIVE.namesIn(place.upper)
      const there = place.lower === null ? [] : LIVE.namesIn(place.lower)
      return [...new Set([...there, ...written])].filter((name) => fileAt(join(folder, name), false) !== null)
    },
    textOf: (path, maxBytes) => {
      const file = fileAt(path, true)
      return file === null ? '' : LIVE.textOf(file, maxBytes)
    },
    statOf: (path) => {
      const file = fileAt(path, true)
      return file === null ? null : LIVE.statOf(file)
    },
    leavesOutGit: (path) => layer.parts.some(({ root }) => isBelow(path, root)),
  }
}

/** What is noted about a folder of the upper layer; nothing if it cannot be read. */
function readMark(top: string, folder: string): FolderMark {
  const found = readFolderAttributes(top, [nameFor(relative(top, folder))])
  return markOf(found?.[0] ?? new Map<string, Uint8Array>())
}

function linkAt({ upper, lower }: Place): string | null {
  const path = upper ?? lower ?? ''
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
