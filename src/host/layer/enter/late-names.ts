import { readableName } from '../../root/exact-name.ts'
import { joinRel } from '../../root/rel-path.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { statOrNull } from '../../root/stat-plain.ts'
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
    for (const { path } of namesIn(root, folder)) if (this.#isHidden(path)) this.#known.add(path)
  }

  /** The first name that has to be hidden and came since; null if none did. */
  find(root: Root): string | null {
    for (const [folder, before] of this.#folders) {
      const now = statOrNull(root, folder)
      if (now?.kind !== 'dir') continue
      if (now.ino === before.ino && now.dev === before.dev && now.changedMs === before.changedMs) continue
      const late = this.#findIn(root, folder)
      if (late !== null) return late
    }
    return null
  }

  #findIn(root: Root, folder: string): string | null {
    for (const { path, kind } of namesIn(root, folder)) {
      if (this.#known.has(path)) continue
      if (this.#isHidden(path)) return path
      // One that was there is looked at by itself.
      const late = kind === 'dir' && !this.#folders.has(path) ? this.#findIn(root, path) : null
      if (late !== null) return late
    }
    return null
  }
}

/** The names in a folder; none if it is gone or cannot be read. */
function namesIn(root: Root, folder: string) {
  try {
    return root.list(folder).map(({ exactName, kind }) => ({ path: joinRel(folder, exactName), kind }))
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return []
    throw thrown
  }
}
