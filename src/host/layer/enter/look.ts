import { leadsAnyone } from '../../confine/held/refusals.ts'
import { isRootOfSystem } from '../../system/process.ts'
import { latin1Name, readableName } from '../../root/exact-name.ts'
import { absoluteOf, folderOf } from '../../root/rel-path.ts'
import { identityOf } from '../../root/file-stat.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { statOrNull } from '../../root/stat-plain.ts'
import { firstFolderOf } from './first-names.ts'
import type { FirstFolder, FirstNames } from './first-names.ts'
import { isSameTarget, targetOf } from './hidden-link.ts'
import type { LinkTarget } from './hidden-link.ts'
import { hasFolderIn, lookAtHoles } from './holes.ts'
import type { Hole } from './holes.ts'
import { LateNames } from './late-names.ts'
import type { Mask } from './mask.ts'
import { walkMerged } from './merged-walk.ts'
import { steadyIndexes } from './steady-index.ts'
import type { SteadyIndex } from './steady-index.ts'

/** One judged look at a root: every name in it, and those that are hidden from a command. */
export interface RootLook {
  readonly masks: readonly Mask[]
  /** What shows as it is, outer ones first; nothing in them is listed. */
  readonly holes: readonly Hole[]
  /** Indexes of git that a command sees instead of those that are there. */
  readonly indexes: readonly SteadyIndex[]
  /** Device and inode of the root itself. */
  readonly identity: string
  /** What links with hidden names lead to outside of the root, absolute and byte for byte. */
  readonly leadsOut: readonly string[]
  /** Whether folders and links were identified, which is possible only while the command has changed nothing. */
  readonly isIdentified: boolean
  /** What was there; null if earlier processes of the layer had written already. */
  readonly first: FirstNames | null
  /** A path that was renamed since the look, with what is hidden there or below, or that came and has to be hidden; null if none was. */
  readonly findMoved: (root: Root) => string | null
  /**
   * What the root shows with stand-ins of these inodes, and with folders that others are put over: a line for each name,
   * as Latin-1.
   */
  readonly linesWith: (
    inodeOf: (path: string) => number,
    covers: ReadonlyMap<string, number>,
  ) => readonly string[]
}

/** What decides about a look. */
export interface LookRules {
  /** Whether the content of a readable relative path is hidden. */
  readonly isHidden: (rel: string) => boolean
  /** What was hidden from earlier processes of the same layer, byte for byte; they may have removed why. */
  readonly hiddenBefore: ReadonlySet<string>
  /** Relative paths that are not part of the layer, outer ones first, and whether commands may write there. */
  readonly holes: ReadonlyMap<string, boolean>
  /** The longest path, in bytes from the root on, that something can be mounted on. */
  readonly maxPathBytes: number
  /** Whether the layer shows folders and links with the inodes that they have; over another file system it has its own. */
  readonly keepsInodes: boolean
}

/** A name of the look; the inode is null where it is not compared. */
interface Line {
  readonly path: string
  readonly type: 'd' | 'f' | 'l' | 'o'
  readonly inode: number | null
}

/**
 * Looks at everything in a root once, by way of open folders. `upper` is what earlier processes of the same layer wrote,
 * or null if none did.
 */
export function lookAt(lower: Root, upper: Root | null, rules: LookRules): RootLook {
  const found = new Look(lower, rules)
  if (upper === null) found.walk()
  else found.walkWith(upper)
  const { masks, indexes } = steadyIndexes(lower, found.masks())
  const top = lower.stat('')
  const holes = lookAtHoles(lower, rules.holes, new Set(masks.map(({ path }) => path)))
  return {
    masks,
    holes,
    indexes,
    identity: top === null ? '' : identityOf(top),
    leadsOut: found.leadsOut(),
    isIdentified: upper === null && rules.keepsInodes,
    first: upper === null ? found.first() : null,
    findMoved: (root) => found.findMoved(root),
    linesWith: (inodeOf, covers) =>
      found.lines(new Set([...masks, ...holes].map(({ path }) => path)), inodeOf, covers),
  }
}

class Look {
  readonly #root: Root
  readonly #rules: LookRules
  readonly #lines: Line[] = []
  readonly #masks = new Map<string, Mask>()
  readonly #folders = new Map<string, FirstFolder>()
  #names: ReadonlySet<string> | null = null
  /** What is hidden and the folders above, as they were in the workspace. */
  readonly #watched = new Map<string, FileStat>()
  /** Where links with hidden names led. */
  readonly #targets = new Map<string, LinkTarget>()
  readonly #holes: ReadonlySet<string>
  readonly #late: LateNames

  constructor(root: Root, rules: LookRules) {
    this.#root = root
    this.#rules = rules
    this.#late = new LateNames(rules.isHidden)
    this.#holes = new Set(rules.holes.keys())
    for (const path of this.#holes) this.#late.noteKnown(path)
    const top = root.stat('')
    if (top !== null) this.#late.noteFolder('', top)
  }

  walk(): void {
    this.#root.walk('', (entry) => {
      const { exactPath, kind, path } = entry
      if (kind === 'unknown') {
        this.#mask(exactPath, 'folder')
        return 'pass'
      }
      // Overlayfs takes such a device at the top for a name that is gone; below, the folders show as they are.
      if (kind === 'other' && !exactPath.includes('/') && this.#root.stat(exactPath)?.isWhiteout === true)
        return 'pass'
      const isCompared = this.#rules.keepsInodes && kind !== 'file' && kind !== 'other'
      const stat = isCompared || kind === 'dir' ? entry.stat() : null
      const inode = stat === null || !isCompared ? null : 'fault' in stat ? 0 : stat.ino
      if (kind === 'dir' && stat !== null && !('fault' in stat))
        this.#folders.set(exactPath, firstFolderOf(stat))
      this.#lines.push({ path: exactPath, type: TYPES[kind], inode })
      if (this.#rules.isHidden(path)) {
        this.#late.noteKnown(exactPath)
        this.#hide(exactPath, kind)
        return 'pass'
      }
      if (kind === 'dir' && this.#isShut(exactPath)) {
        this.#mask(exactPath, 'folder')
        return 'pass'
      }
      if (this.#rules.holes.has(exactPath)) {
        this.#hideUnderOdd(exactPath)
        return 'pass'
      }
      if (kind === 'dir' && stat !== null && !('fault' in stat)) this.#late.noteFolder(exactPath, stat)
      return 'enter'
    })
  }

  walkWith(upper: Root): void {
    this.#late.noteKnownIn(this.#root, '')
    walkMerged({ lower: this.#root, upper }, ({ path, kind, lower }) => {
      if (kind === 'unknown') {
        this.#mask(path, 'folder')
        return 'pass'
      }
      this.#lines.push({ path, type: TYPES[kind], inode: null })
      // What the command made itself is not hidden from it.
      const { isHidden, hiddenBefore } = this.#rules
      if (lower !== null && hiddenBefore.has(lower) && kind !== 'symlink') {
        this.#mask(path, kind === 'dir' ? 'folder' : 'file', lower)
        return 'pass'
      }
      if (lower !== null && [path, lower].some((one) => isHidden(readableName(one)))) {
        this.#hide(path, kind, lower)
        return 'pass'
      }
      if (kind === 'dir' && lower !== null && this.#isShut(lower)) {
        this.#mask(path, 'folder', lower)
        return 'pass'
      }
      if (this.#rules.holes.has(path)) {
        this.#hideUnderOdd(path)
        return 'pass'
      }
      if (kind === 'dir' && lower !== null) this.#noteLower(lower)
      return 'enter'
    })
  }

  /** What lies under a device, a pipe or a socket that is mounted on a file must not show; the name has the kind of the file. */
  #hideUnderOdd(path: string): void {
    if (this.#root.stat(path)?.kind === 'other') this.#mask(path, 'file')
  }

  /** A name may be hidden by what earlier processes wrote over it, so that the walk does not come to it. */
  #noteLower(lower: string): void {
    const stat = this.#root.stat(lower)
    if (stat === null) return
    this.#late.noteFolder(lower, stat)
    this.#late.noteKnownIn(this.#root, lower)
  }

  /** Whether a folder of this user cannot be looked into as it is; a command could open it, or guess the names in it. */
  #isShut(lower: string): boolean {
    const stat = isRootOfSystem() ? null : this.#root.stat(lower)
    return stat !== null && stat.uid === process.geteuid?.() && (stat.mode & OWNER_LOOKS) !== OWNER_LOOKS
  }

  leadsOut(): readonly string[] {
    return [...this.#targets.values()].flatMap((target) => (target.is === 'outside' ? [target.real] : []))
  }

  first(): FirstNames {
    const names = (): ReadonlySet<string> => (this.#names ??= new Set(this.#lines.map(({ path }) => path)))
    return {
      has: (path) => names().has(path),
      folderAt: (path) => this.#folders.get(path) ?? null,
    }
  }

  masks(): readonly Mask[] {
    const all = [...this.#masks.values()]
    return all.filter(({ path }) => !all.some((other) => isInside(path, other.path)))
  }

  lines(
    covered: ReadonlySet<string>,
    inodeOf: (path: string) => number,
    covers: ReadonlyMap<string, number>,
  ): readonly string[] {
    return this.#lines.flatMap(({ path, type, inode }): readonly string[] => {
      if (hasFolderIn(path, covered)) return []
      const name = latin1Name(path)
      if (covered.has(path)) return [`${type === 'd' ? 'D' : 'm'} ${inodeOf(path)} ${name}`]
      return [inode === null ? `${type} ${name}` : `${type} ${covers.get(path) ?? inode} ${name}`]
    })
  }

  /** Hides a name; of a link, what it leads to. */
  #hide(path: string, kind: keyof typeof TYPES, lower = path): void {
    const seen = this.#watch(lower)
    // Such a name is listed, but nothing can be mounted on it, and it leads to nothing.
    if (seen?.isWhiteout === true) return
    if (kind !== 'symlink') return this.#mask(path, kind === 'dir' ? 'folder' : 'file', lower)
    const target = targetOf(this.#root, lower)
    if (target.is === 'anyones') throw leadsAnyone(absoluteOf(this.#root.path, lower), target.real)
    this.#targets.set(lower, target)
    // A link to a folder that holds it would hide what has other names.
    if (target.is !== 'inside' || target.rel === '' || isInside(lower, target.rel)) return
    // It is hidden wherever it shows now.
    if (this.#rules.hiddenBefore.has(target.rel)) return
    // What is no part of the layer is hidden by the sandbox, where it shows.
    if (!hasFolderIn(target.rel, this.#holes)) this.#mask(target.rel, target.kind)
  }

  /** A path that is too long to be hidden hides the folder above it. */
  #mask(path: string, kind: Mask['kind'], lower = path): void {
    if (latin1Name(path).length > this.#rules.maxPathBytes && path.includes('/'))
      return this.#mask(path.slice(0, path.lastIndexOf('/')), 'folder')
    this.#late.noteKnown(lower)
    const stat = this.#watch(lower)
    const [size, modifiedMs] = kind === 'file' ? [stat?.size ?? 0, stat?.modifiedMs ?? 0] : [0, 0]
    this.#masks.set(path, { path, kind, size, modifiedMs })
  }

  #watch(lower: string): FileStat | null {
    const stat = this.#root.stat(lower)
    if (stat === null || lower === '' || this.#watched.has(lower)) return stat
    this.#watched.set(lower, stat)
    this.#watch(folderOf(lower))
    return stat
  }

  /**
   * A mount hides a name only where it was. Of a folder that another process renames, the layer may show the content
   * under the new name. A rename changes the time of change and no other; so does a change of mode, which is rare.
   */
  findMoved(root: Root): string | null {
    for (const [path, before] of this.#watched) {
      // A name below a folder that was swapped for a link is not where it was.
      const now = statOrNull(root, path)
      if (now === null || now.ino !== before.ino || now.dev !== before.dev) return path
      if (now.changedMs === before.changedMs) continue
      if (now.modifiedMs === before.modifiedMs || Math.floor(now.changedMs) !== now.modifiedMs) return path
    }
    for (const [path, before] of this.#targets) if (!isSameTarget(targetOf(root, path), before)) return path
    return this.#late.find(root)
  }
}

const OWNER_LOOKS = 0o500
const TYPES = { file: 'f', dir: 'd', symlink: 'l', other: 'o' } as const

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
