/** What stands around a command. */
export type RungName = 'bwrap' | 'seatbelt' | 'job' | 'external' | 'none'

/** A command as its caller wants it run. */
export interface Command {
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** What the sandbox watches while a command runs, because no mount can keep a name from coming into being. */
export interface GuardPlan {
  readonly root: string
  /** Names that did not exist when the command started and must not afterwards. */
  readonly forbidden: readonly string[]
  /** Repositories whose index must not come to name further repositories. */
  readonly repositories: readonly GuardedRepository[]
  /** Whether the root itself must not turn into a repository. */
  readonly watchesRoot: boolean
}

/** A work tree and where git keeps what belongs to it. */
export interface GuardedRepository {
  readonly folder: string
  readonly gitFolder: string
}

/** What is really started for a command. */
export interface Launch {
  /** The program first, by its absolute path. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** A filter for system calls, to be open for reading on `FILTER_FD`; null for none. */
  readonly filter: Uint8Array | null
  /** Whether everything that the command starts dies with the outermost process. */
  readonly isNamespaced: boolean
  readonly guard: GuardPlan | null
}

/** Puts a command into a sandbox, or into none where that was asked for. */
export interface Confinement {
  readonly rung: RungName
  /** For prompts, results and the audit trail. */
  readonly label: string
  readonly hasNetwork: boolean
  readonly launch: (command: Command) => Launch
}

/** Where a started command finds the filter, and where the runner's own script tells how it went. */
export const FILTER_FD = 4
export const WITNESS_FD = 3

/** Something that a sandboxed command tried to bring about and that was taken back. */
export interface Refusal {
  readonly path: string
  readonly movedTo: string | null
  readonly why: string
}
