import { readableName } from '../../root/exact-name.ts'
import { joinRel } from '../../root/rel-path.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { statPlain } from '../../root/stat-plain.ts'
import { ToolFailure } from '../../../core/error.ts'

/** What is compared of a folder: names that come into it change its time. */
type FolderStamp = Pick<FileStat, 'ino' | 'dev' | 'changedMs'>

/**
 * Finds names that have to be hidden and were not there when the workspace was looked at: the layer shows what comes into
 * a folder of the workspace meanwhile. Only folders in which names changed are looked at again.
 */
export class LateNames {
  readonly #isHidden: (path: string) => boolean
  readonly #folders = new Map<string, FolderStamp>()
  readonly #known = new Set<string>()

  /** Takes readable paths, as rules do. */
  constructor(isHidden: (path: string) => boolean) {
    this.#isHidden = (path) => isHidden(readableName(path))
  }

  /** Notes a folder that the command can look into, as it was before its names were read. */
  noteFolder(path: string, { ino, dev, changedMs }: FolderStamp): void {
    this.#folders.set(path, { ino, dev, changedMs })
  }

  /** Notes a name that is hidden, or that is not looked into. */
  noteKnown(path: string): void {
    this.#known.add(path)
  }

  /** Notes all names in a folder that have to be hidden. */
  noteKnownIn(root: Root, folder: string): void {
    for (const { path } of namesIn(root, folder) ?? []) if (this.#isHidden(path)) this.#known.add(path)
  }

  /** The first name that has to be hidden and came since, or that may hold such a one; null if none did. */
  find(root: Root): string | null {
    for (const [folder, before] of this.#folders) {
      const now = folderAt(root, folder)
      if (now === 'unknown') return folder
      // That it is gone or something else changed the folder above, which is looked at by itself.
      if (now === null) continue
      if (now.ino === before.ino && now.dev === before.dev && now.changedMs === before.changedMs) continue
      const late = this.#findIn(root, folder)
      if (late !== null) return late
    }
    return null
  }

  #findIn(root: Root, folder: string): string | null {
    const names = namesIn(root, folder)
    if (names === null) return folderAt(root, folder) === null ? null : folder
    for (const { path, kind } of names) {
      if (this.#known.has(path)) continue
      if (this.#isHidden(path)) return path
      // One that was there is looked at by itself.
      const late = kind === 'dir' && !this.#folders.has(path) ? this.#findIn(root, path) : null
      if (late !== null) return late
    }
    return null
  }
}

/** A folder; null if there is none by this path, and `unknown` if it cannot be looked at. */
function folderAt(root: Root, path: string): FileStat | 'unknown' | null {
  try {
    const found = statPlain(root, path)
    return found?.kind === 'dir' ? found : null
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return 'unknown'
    throw thrown
  }
}

/** The names in a folder; null if it is gone or cannot be read. */
function namesIn(root: Root, folder: string) {
  try {
    return root.list(folder).map(({ exactName, kind }) => ({ path: joinRel(folder, exactName), kind }))
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}
