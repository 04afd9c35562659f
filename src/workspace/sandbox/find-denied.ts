import { Buffer } from 'node:buffer'
import { folderStamp, isOpenFolder, readFolderNames, readRawNames } from '../../host/fs/folders.ts'
import type { FoundName } from '../../host/fs/folders.ts'
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

/** A mount takes no longer path, and neither does a program. */
const MAX_PATH_BYTES = 3_800
/** What git reads in its own folder, which other mounts protect from changes; branches may have any name. */
const READ_BY_GIT: ReadonlySet<string> = new Set(['config', 'config.lock', 'config.worktree', 'hooks'])
const NAMED_BY_GIT: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'lfs'])

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
    const names = stamp === null || !isOpenFolder(folder) ? null : readFolderNames(folder)
    const isClosed = names === null && stamp?.isFolder === true
    const { folders, denied, isSteady } = isClosed ? closed(folder) : judge(folder, names ?? [])
    const isSettled = stamp !== null && isSteady && stamp.changedMs < at - YOUNG_MS
    const seen: FolderScan = { stamp: stamp?.text ?? '', isSettled, folders, denied }
    scans.set(folder, seen)
    return seen
  }

  const judge = (folder: string, names: readonly FoundName[]): Judged => {
    const skips = createGitSkips(folder, names)
    const folders: string[] = []
    const denied: string[] = []
    let hasRaw = false
    for (const { name, isFolder } of names) {
      if (skips(name)) continue
      const path = absoluteOf(folder, name)
      const isRaw = name.includes(UNREADABLE)
      if (isDenied(path)) denied.push(isRaw ? folder : path)
      else if (!isFolder) continue
      else if (isRaw) hasRaw = true
      else if (Buffer.byteLength(path) > MAX_PATH_BYTES) denied.push(path)
      else folders.push(path)
    }
    if (!hasRaw) return { folders, denied, isSteady: true }
    // What is below such a name can be neither entered nor hidden by a path, and changes there do not show here.
    const below = readRawNames(folder)
    const isHidden = below === null || below.some(isDenied)
    return { folders, denied: isHidden ? [...denied, folder] : denied, isSteady: false }
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

/**
 * Whether commands on a layer do not see a path that a pattern denies. Git works for them as for everyone: they may read
 * what it obeys, and what they write there is judged when it lands.
 */
export function isHiddenFromCommands(
  rel: string,
  pattern: string | null,
  isThere: (rel: string) => boolean,
): boolean {
  if (pattern === null) return false
  const parts = rel.split('/')
  const git = parts.lastIndexOf('.git')
  if (git === -1) return true
  const inner = parts.slice(git + 1)
  if (inner.length === 0) return false
  const isNested = /^(?:modules|worktrees)$/.test(inner[0] ?? '')
  const at = (isNested ? inner : inner.slice(0, 1)).findIndex(isNeededByGit)
  if (at === -1) return true
  const name = inner[at] ?? ''
  // Anything may be called so where there is no repository.
  return !READ_BY_GIT.has(name) && !isThere([...parts.slice(0, git + 1 + at), 'HEAD'].join('/'))
}

function isNeededByGit(name: string): boolean {
  return READ_BY_GIT.has(name) || NAMED_BY_GIT.has(name)
}

interface Judged extends Pick<FolderScan, 'folders' | 'denied'> {
  /** Whether any later change would show in the stamp of the folder. */
  readonly isSteady: boolean
}

/** A folder that cannot be listed or entered is hidden: a command of its owner could open it, or guess the names in it. */
function closed(folder: string): Judged {
  return { folders: [], denied: [folder], isSteady: false }
}

/** The names in a folder that git needs, if it is git's own or that of a submodule or work tree in it. */
function createGitSkips(folder: string, names: readonly FoundName[]): (name: string) => boolean {
  const parts = folder.split('/')
  const git = parts.lastIndexOf('.git')
  if (git === -1) return () => false
  const isGits = git === parts.length - 1 || /^(?:modules|worktrees)$/.test(parts[git + 1] ?? '')
  if (!isGits) return () => false
  const isRepository = names.some(({ name }) => name === 'HEAD')
  return (name) => READ_BY_GIT.has(name) || (isRepository && NAMED_BY_GIT.has(name))
}
