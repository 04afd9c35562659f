import type { Layer } from '../../core/layer.ts'
import type { LayerMounts } from '../layer/enter/layer-mounts.ts'
import type { HeldPlace } from './held/held-place.ts'
import type { Root } from '../root/root.ts'

/** How a command is confined. */
export type LevelName = 'bwrap' | 'seatbelt' | 'external' | 'none'

/** A command as the caller asked for it. */
export interface PlainCommand {
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Where it writes instead of to the roots; nowhere else if absent or null. */
  readonly layer?: Layer | null
}

/** What a command may see of the machine. */
export interface ConfinedWorkspace {
  /** The folders it may change, absolute and without links; the git files in them are protected. */
  readonly roots: readonly string[]
  /** The user's home folder; the command sees an empty one in its place. */
  readonly home: string
  /** The value of PATH. */
  readonly path: string
  /** Additional paths it may read. */
  readonly read: readonly string[]
  /** Additional paths it may write, granted by a person. */
  readonly write: readonly string[]
  /** What paths of the above led to when they were judged, by path; they are mounted only if they still are that. */
  readonly judged?: ReadonlyMap<string, JudgedPlace>
  /** Paths whose content is hidden from it. */
  readonly masked: readonly string[]
  /** Paths in the roots that belong to Tongs: hidden or read-only, and neither they nor the folders above can be replaced. */
  readonly own: readonly OwnedPath[]
  readonly hasNetwork: boolean
  /** Whether a command on a layer may change git's folders outside the roots, which are no part of the layer. */
  readonly mayWriteSharedGit?: boolean
  /** The size limit of each of its scratch folders, such as /tmp; 0 is no limit. */
  readonly scratchBytes: number
  /** Absolute folders in the roots that a command on a layer changes at once. */
  readonly passthrough?: readonly string[]
  /** Folders of package managers that it may read, absolute and without links. */
  readonly caches?: readonly string[]
  /** Whether a command on an overlay may also write there, on a layer that is thrown away. */
  readonly areCachesLayered?: boolean
  /** What there is of git below a folder; null if there is too much to look through. If absent, nothing is looked for. */
  readonly gitBelow?: (folder: string) => GitBelow | null
  /** How the roots are looked at for a command on a layer; if absent, they are opened by name and `masked` is hidden. */
  readonly view?: WorkspaceView
}

/** A path that was judged before it is mounted. */
export interface JudgedPlace extends HeldPlace {
  /** Whether a person granted it, and not the settings: then it is never mounted by its name. */
  readonly isGranted: boolean
}

/** What there is of git at and below a folder, as absolute paths. */
export interface GitBelow {
  /** The folders that git takes for repositories. */
  readonly repositories: readonly string[]
  /** Folders inside git's own that git takes for repositories as well. Notes of earlier versions lack this and the next. */
  readonly inner?: readonly string[]
  /** Those of them that git takes for repositories without a work tree, whatever else is in them. */
  readonly bare?: readonly string[]
  /** Folders with something in them that has no readable name and may hold a repository. */
  readonly unreadable: readonly string[]
  /** What was not looked into, because it is denied or cannot be opened. */
  readonly unseen: readonly string[]
}

/** The roots, held open, and what is hidden in them. */
export interface WorkspaceView {
  readonly rootAt: (path: string) => Root
  /** Whether the content of a readable relative path is hidden from commands. */
  readonly isHidden: (root: string, rel: string) => boolean
}

/** A path that belongs to Tongs; it may not exist yet. */
export interface OwnedPath {
  readonly path: string
  readonly isReadable: boolean
}

/** What is watched while a command runs, because no mount can prevent a new name from being created. */
export interface GuardPlan {
  /** Folders that must not become git repositories. */
  readonly roots: readonly string[]
  /** Names that did not exist when the command started and must not exist afterwards. */
  readonly forbidden: readonly string[]
  /** Links that lead to what git runs, and must go on leading there. */
  readonly links: readonly GuardedLink[]
  /** Links by which something is denied, and must go on being so. */
  readonly denied: readonly GuardedLink[]
  /** Repositories whose index must not gain further repositories. */
  readonly repositories: readonly GuardedRepository[]
}

/** A link and where it has to lead. */
export interface GuardedLink {
  readonly path: string
  readonly target: string
}

/** A work tree and its git folder. */
export interface GuardedRepository {
  readonly folder: string
  readonly gitFolder: string
}

/** Bytes, the path of a file that holds them, a place to mount, or a connection on which a listing of this digest is confirmed. */
export type LaunchInput = Uint8Array | string | MountedPlace | ExpectedListing

/** A file or folder to mount, which must still be what was judged. */
export type MountedPlace = Pick<HeldPlace, 'real' | 'identity'>

/** What the started process has to list before it may go on; see listing-check.ts. */
export interface ExpectedListing {
  readonly listing: string
}

/** What is actually started for a command. */
export interface Launch {
  /** The program first, by its absolute path. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Inputs for the descriptors of the started process, in order from `FIRST_INPUT_FD`. */
  readonly inputs: readonly LaunchInput[]
  /** Whether all processes of the command die with one process, whose id is written to `NAMESPACE_FD`. */
  readonly isNamespaced: boolean
  /** If the first words only mount a layer: what a process that can mount it needs to leave them out. */
  readonly mounted?: MountedFirst | null
  readonly guard: GuardPlan | null
  /** Finds repositories below the folders that are written without a layer; absent if there are none. */
  readonly newGit?: NewGit
  /** After the end: a path that another process renamed or created meanwhile, so that the command may have read hidden files; or null. */
  readonly findMoved?: () => string | null
}

/** What the first words of a command line mount. */
export interface MountedFirst {
  readonly mounts: LayerMounts
  /** How many words, and how many inputs from the first on, are needed for that alone. */
  readonly words: number
  readonly inputs: number
}

/** Puts a command into a sandbox, or runs it as it is if that was asked for. */
export interface Confinement {
  readonly level: LevelName
  /** For prompts, results and the audit trail. */
  readonly label: string
  readonly hasNetwork: boolean
  readonly launch: (command: PlainCommand) => Launch
  /** What commands can reach; null if nothing of ours limits that. */
  readonly reach: () => Reach | null
}

/** The paths that confined commands can reach, as absolute paths. */
export interface Reach {
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Hidden or denied inside the others. */
  readonly hidden: readonly string[]
}

/** Where the runner's wrapper script reports how a command ended. */
export const REPORT_FD = 3
/** Where bubblewrap writes the id of the first process of its namespace, as JSON with a `child-pid`. */
export const NAMESPACE_FD = 4
export const FIRST_INPUT_FD = 5

/** A path that a sandboxed command created, was not allowed to, and that was renamed; or a link that it removed. */
export interface MovedAside {
  readonly path: string
  readonly movedTo: string | null
  readonly why: string
  /** Of a link that was removed, whether it is back in its place. */
  readonly isPutBack?: boolean
  /** Whether it was found only after the end, so that the command was not stopped for it. */
  readonly isLate?: boolean
}

/** What looks for repositories that were made since a command started. */
export interface NewGit {
  readonly isThere: () => boolean
  /** Renames what makes them repositories. Call it when no process of the command is left. */
  readonly moveAside: () => readonly MovedAside[]
}
