/** What stands around a command. */
export type LevelName = 'bwrap' | 'seatbelt' | 'external' | 'none'

/** A command as its caller wants it run. */
export interface PlainCommand {
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** What a command is to see of the machine. */
export interface ConfinedWorkspace {
  /** The folders it may change, absolute and without links; their repositories are shielded. */
  readonly roots: readonly string[]
  /** The person's home folder; the command finds an empty one in its place. */
  readonly home: string
  /** The value of PATH. */
  readonly path: string
  /** Further paths it may read. */
  readonly read: readonly string[]
  /** Further paths it may write, because a person granted them. */
  readonly write: readonly string[]
  /** Paths that it must not see into. */
  readonly masked: readonly string[]
  readonly hasNetwork: boolean
  /** What each of its empty folders, such as /tmp, may hold; 0 is no limit. */
  readonly scratchBytes: number
}

/** What the sandbox watches while a command runs, because no mount can keep a name from coming into being. */
export interface GuardPlan {
  /** Folders that must not turn into repositories of their own. */
  readonly roots: readonly string[]
  /** Names that did not exist when the command started and must not afterwards. */
  readonly forbidden: readonly string[]
  /** Repositories whose index must not come to name further repositories. */
  readonly repositories: readonly GuardedRepository[]
}

/** A work tree and where git keeps what belongs to it. */
export interface GuardedRepository {
  readonly folder: string
  readonly gitFolder: string
}

/** Bytes, or the path of a file that holds them. */
export type LaunchInput = Uint8Array | string

/** What is really started for a command. */
export interface Launch {
  /** The program first, by its absolute path. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** What is to be read from descriptors of the started process, one after another from `FIRST_INPUT_FD`. */
  readonly inputs: readonly LaunchInput[]
  /** Whether everything that the command starts dies with one process, which is named on `NAMESPACE_FD`. */
  readonly isNamespaced: boolean
  readonly guard: GuardPlan | null
}

/** Puts a command into a sandbox, or into none where that was asked for. */
export interface Confinement {
  readonly level: LevelName
  /** For prompts, results and the audit trail. */
  readonly label: string
  readonly hasNetwork: boolean
  readonly launch: (command: PlainCommand) => Launch
}

/** Where the runner's own script tells how a command went. */
export const REPORT_FD = 3
/** Where a namespace names the process that all others in it die with, as JSON with a `child-pid`. */
export const NAMESPACE_FD = 4
export const FIRST_INPUT_FD = 5

/** Something that a sandboxed command tried to bring about and that was taken back. */
export interface MovedAside {
  readonly path: string
  readonly movedTo: string | null
  readonly why: string
}
