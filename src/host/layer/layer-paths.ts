import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
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

  /** No link is followed, as it may lead to what a command cannot see: what is behind one counts as missing. */
  const find = (path: string): Place | null => {
    const part = layer.parts.find(({ root }) => isBelow(path, root))
    if (part === undefined) return { upper: null, lower: path }
    let place: Place | null = { upper: join(part.folder, UPPER), lower: part.root }
    for (const name of relative(part.root, path).split('/').filter(Boolean)) {
      if (isLink(place)) return null
      place = step(part, place, name)
      if (place === null) return null
    }
    return place
  }

  const fileAt = (path: string): string | null => {
    const place = find(path)
    return place === null ? null : (place.upper ?? place.lower)
  }

  return {
    kindOf: (path) => {
      const file = fileAt(path)
      return file === null ? 'missing' : LIVE.kindOf(file)
    },
    namesIn: (folder) => {
      const place = find(folder)
      if (place === null || isLink(place)) return []
      const written = place.upper === null ? [] : LIVE.namesIn(place.upper)
      const there = place.lower === null ? [] : LIVE.namesIn(place.lower)
      return [...new Set([...there, ...written])].filter((name) => fileAt(join(folder, name)) !== null)
    },
    textOf: (path, maxBytes) => {
      const file = fileAt(path)
      return file === null ? '' : LIVE.textOf(file, maxBytes)
    },
    statOf: (path) => {
      const file = fileAt(path)
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

function isLink({ upper, lower }: Place): boolean {
  return statOf(upper ?? lower ?? '')?.isSymbolicLink() === true
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
