import { folderStamp, readFolderNames } from '../../host/fs/folders.ts'
import { absoluteOf, nameOf } from '../../host/root/rel-path.ts'

/** Finds denied paths below folders, as absolute paths; the content of a denied folder is not listed. */
export interface DeniedFinder {
  readonly findIn: (top: string, limits?: FindLimits) => readonly string[]
}

/** How far to look. */
export interface FindLimits {
  /** Folders with such a name are not entered. */
  readonly skips: RegExp
  /** How many folders are read, those nearest to the top first. */
  readonly maxFolders: number
}

/** What was read of one folder. */
interface FolderScan {
  readonly stamp: string
  /** Whether any later change will show in the stamp: if the folder changed just before the scan, it might not. */
  readonly isSettled: boolean
  readonly folders: readonly string[]
  readonly denied: readonly string[]
}

/** File systems round times; a folder that changed this recently may change again with the same time. */
const YOUNG_MS = 2_000
/** Appears in a name that is not UTF-8 and therefore cannot be hidden by name. */
const UNREADABLE = '\uFFFD'

const EVERYWHERE: FindLimits = { skips: /^$/, maxFolders: Infinity }

/**
 * Creates a finder that reads a folder again only when a name in it was added or removed: it runs for every command, and
 * a workspace may contain a hundred thousand names.
 */
export function createDeniedFinder(isDenied: (absolute: string) => boolean, now: () => number): DeniedFinder {
  const scans = new Map<string, FolderScan>()

  const scan = (folder: string): FolderScan => {
    const stamp = folderStamp(folder)
    const known = scans.get(folder)
    if (stamp !== null && known?.isSettled === true && known.stamp === stamp.text) return known
    const at = now()
    const names = stamp === null ? null : readFolderNames(folder)
    const folders: string[] = []
    const denied: string[] = []
    for (const { name, isFolder } of names ?? []) {
      // The sandbox itself protects git's own folder, so that git still works.
      if (name === '.git') continue
      const path = absoluteOf(folder, name)
      if (isDenied(path)) denied.push(name.includes(UNREADABLE) ? folder : path)
      else if (isFolder) folders.push(path)
    }
    const isSettled = stamp !== null && names !== null && stamp.changedMs < at - YOUNG_MS
    const seen: FolderScan = { stamp: stamp?.text ?? '', isSettled, folders, denied }
    scans.set(folder, seen)
    return seen
  }

  return {
    findIn(top, { skips, maxFolders } = EVERYWHERE) {
      const found: string[] = []
      const waiting = [top]
      for (const folder of waiting) {
        const { folders, denied } = scan(folder)
        found.push(...denied)
        for (const one of folders)
          if (waiting.length < maxFolders && !skips.test(nameOf(one))) waiting.push(one)
      }
      return found
    },
  }
}

/** What git itself reads in its own folder, where a denied name can also be that of a branch. */
const GIT_INNARDS = /(?:^|\/)\.git\/(?:.*\/)?(?:refs|logs|objects)(?:\/|$)/
const GIT_RULES = /^\*\*\/\.git\//

/**
 * Whether commands on a layer do not see a path that a pattern denies. Git works for them as for everyone: what it obeys
 * is denied to tools, but commands may read it, and what they write there is judged when it lands.
 */
export function isHiddenFromCommands(rel: string, pattern: string | null): boolean {
  return pattern !== null && !GIT_RULES.test(pattern) && !GIT_INNARDS.test(rel)
}
