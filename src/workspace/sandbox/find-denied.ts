import { Buffer } from 'node:buffer'
import { isOpenFolder, readFolderNames, readRawNames } from '../../host/fs/folders.ts'
import type { FoundName } from '../../host/fs/folders.ts'
import type { GitBelow } from '../../host/confine/confinement.ts'
import { grantChanged } from '../../host/confine/held/refusals.ts'
import { ElsewhereError, lookThroughHandle, reachByName } from '../../host/confine/held/held-folders.ts'
import type { LookedFolder, ReachFolder } from '../../host/confine/held/held-folders.ts'
import type { HeldPlace } from '../../host/confine/held/held-place.ts'
import { DECISIVE_FOLDERS } from '../../host/confine/git-mounts.ts'
import { isBareByNames, isTakenForBare } from '../../host/git/find-repositories.ts'
import { findInnerRepositories } from '../../host/git/worktree/inner-repositories.ts'
import { absoluteOf, nameOf } from '../../host/root/rel-path.ts'

/** Finds denied paths below folders, as absolute paths; the content of a denied folder is not listed. */
export interface DeniedFinder {
  readonly findIn: (top: string, limits?: FindLimits) => readonly string[]
  /** The same in a place that was judged, through a handle; throws if it or a folder in it is exchanged all the time. */
  readonly findInPlace: (place: HeldPlace) => readonly string[]
  /** The repositories at and below a folder, as far as a command sees it; null if there are too many folders. */
  readonly findGit: (top: string) => GitBelow | null
  /** The named pipes below a folder. One whose name is not UTF-8 stands for its folder. */
  readonly findPipes: (top: string) => readonly string[]
  readonly findPipesInPlace: (place: HeldPlace) => readonly string[]
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
  readonly pipes: readonly string[]
  /** Whether git takes the folder for a repository, with a folder or file of its own in it or without. */
  readonly repository: 'bare' | 'usual' | null
  /** Whether a folder in it, whose name is not UTF-8, may hold a repository. */
  readonly hasRawGit: boolean
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

/** How often a granted place is looked at until nothing in it is exchanged during the look. */
const MOST_LOOKS = 4

/** Each is looked at for every command that writes there. */
const MOST_FOLDERS_WITH_GIT = 500_000
/** In a repository without a work tree these are read-only as a whole. */
const GITS_OWN: ReadonlySet<string> = new Set(DECISIVE_FOLDERS)
const MAYBE_GIT = /\/(?:\.git|HEAD)$/

/**
 * Creates a finder that reads a folder again only when a name in it was added or removed: it runs for every command, and
 * a workspace may contain a hundred thousand names.
 */
export function createDeniedFinder(isDenied: (absolute: string) => boolean, now: () => number): DeniedFinder {
  const scans = new Map<string, FolderScan>()

  const scan = (folder: string, reach: ReachFolder = reachByName): FolderScan =>
    reach(folder, (found) => scanFound(folder, found))

  const scanFound = (folder: string, { stamp, way }: LookedFolder): FolderScan => {
    const known = scans.get(folder)
    if (stamp !== null && known?.isSettled === true && known.stamp === stamp.text) return known
    const at = now()
    const names = stamp === null || !isOpenFolder(way) ? null : readFolderNames(way)
    const isClosed = names === null && stamp?.isFolder === true
    const { isSteady, ...judged } = isClosed ? closed(folder) : judge(folder, names ?? [], way)
    const isSettled = stamp !== null && isSteady && stamp.changedMs < at - YOUNG_MS
    const seen: FolderScan = { stamp: stamp?.text ?? '', isSettled, ...judged }
    scans.set(folder, seen)
    return seen
  }

  const judge = (folder: string, names: readonly FoundName[], way: string): Judged => {
    const skips = createGitSkips(folder, names)
    const folders: string[] = []
    const denied: string[] = []
    const pipes: string[] = []
    let hasRaw = false
    for (const { name, isFolder, isPipe } of names) {
      const path = absoluteOf(folder, name)
      const isRaw = name.includes(UNREADABLE)
      if (isPipe) pipes.push(isRaw ? folder : path)
      if (skips(name)) continue
      if (isDenied(path)) denied.push(isRaw ? folder : path)
      else if (!isFolder) continue
      else if (isRaw) hasRaw = true
      else if (Buffer.byteLength(path) > MAX_PATH_BYTES) denied.push(path)
      else folders.push(path)
    }
    const repository = repositoryBy(new Set(names.map(({ name }) => name)))
    const judged = { folders, denied, pipes, repository }
    if (!hasRaw) return { ...judged, hasRawGit: false, isSteady: true }
    // What is below such a name can be neither entered nor hidden by a path, and changes there do not show here.
    const below = readRawNames(way)?.map((path) => folder + path.slice(way.length)) ?? null
    const isHidden = below === null || below.some(isDenied)
    const hasRawGit = below === null || below.some((path) => MAYBE_GIT.test(path))
    return { ...judged, hasRawGit, denied: isHidden ? [...denied, folder] : denied, isSteady: false }
  }

  const findIn = (
    top: string,
    { skips, maxFolders }: FindLimits,
    what: 'denied' | 'pipes',
    reach?: ReachFolder,
  ): readonly string[] => {
    const found: string[] = []
    const waiting = [top]
    for (const folder of waiting) {
      const seen = scan(folder, reach)
      found.push(...seen[what])
      for (const one of seen.folders)
        if (waiting.length < maxFolders && !skips.test(nameOf(one))) waiting.push(one)
    }
    return found
  }

  /** Looks again if a folder was exchanged or removed meanwhile; most often it was removed. */
  const findInPlace = (place: HeldPlace, what: 'denied' | 'pipes'): readonly string[] => {
    if (place.kind !== 'folder') return []
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      try {
        const found = lookThroughHandle(place, ({ reach, isSteady }) => {
          const seen = findIn(place.real, EVERYWHERE, what, reach)
          return isSteady() ? seen : null
        })
        if (found !== null) return found
      } catch (error) {
        if (!(error instanceof ElsewhereError)) throw error
      }
    }
    throw grantChanged(place.real)
  }

  return {
    findIn: (top, limits = EVERYWHERE) => findIn(top, limits, 'denied'),
    findInPlace: (place) => findInPlace(place, 'denied'),
    findPipesInPlace: (place) => findInPlace(place, 'pipes'),
    findGit(top) {
      const found = { repositories: [] as string[], unreadable: [] as string[], unseen: [] as string[] }
      const waiting = [{ folder: top, isGits: false }]
      for (const { folder, isGits } of waiting) {
        const { folders, denied, repository, hasRawGit } = scan(folder)
        found.unseen.push(...denied)
        if (hasRawGit) found.unreadable.push(folder)
        if (repository !== null && !isGits) found.repositories.push(folder)
        for (const one of folders) {
          const name = nameOf(one)
          const isInner = isGits || name === '.git' || (repository === 'bare' && GITS_OWN.has(name))
          waiting.push({ folder: one, isGits: isInner })
        }
        if (waiting.length > MOST_FOLDERS_WITH_GIT) return null
      }
      const bare = found.repositories.filter(isTakenForBare)
      const inner: string[] = []
      for (const folder of found.repositories.flatMap((at) => [absoluteOf(at, '.git'), at])) {
        const isGits = nameOf(folder) === '.git' || bare.includes(folder)
        const below = isGits ? findInnerRepositories(folder, MOST_FOLDERS_WITH_GIT) : []
        if (below === null) return null
        inner.push(...below)
      }
      return { ...found, inner, bare }
    },
    findPipes: (top) => findIn(top, EVERYWHERE, 'pipes'),
  }
}

function repositoryBy(names: ReadonlySet<string>): FolderScan['repository'] {
  if (isBareByNames((name) => names.has(name))) return 'bare'
  return names.has('.git') ? 'usual' : null
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

interface Judged extends Omit<FolderScan, 'stamp' | 'isSettled'> {
  /** Whether any later change would show in the stamp of the folder. */
  readonly isSteady: boolean
}

/** A folder that cannot be listed or entered is hidden: a command of its owner could open it, or guess the names in it. */
function closed(folder: string): Judged {
  const nothing = { folders: [], pipes: [], repository: null, hasRawGit: false }
  return { ...nothing, denied: [folder], isSteady: false }
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
