import type {
  ExpectedListing,
  GuardPlan,
  Launch,
  MountedFirst,
  MountedPlace,
  MovedAside,
} from '../confine/confinement.ts'

/** Asks the spawner to start a command. */
export interface StartRequest {
  readonly is: 'start'
  readonly id: number
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Numbers of pipes, which the runtime has open for reading. */
  readonly stdout: number
  readonly stderr: number
  /** For the descriptors from `FIRST_INPUT_FD` on. */
  readonly inputs: readonly SpawnInput[]
  /** The input of the command; null for none. */
  readonly stdin: string | null
  /** A folder that no command can reach, for files that have a name for a moment. */
  readonly folder: string
  readonly timeoutMs: number
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  readonly isNamespaced: boolean
  /** What the first words mount, if the spawner may do so itself; null if they do. */
  readonly mounted: MountedFirst | null
  /** A unique text in the command's environment, by which its processes are found; unused in a namespace. */
  readonly mark: string
  readonly guard: GuardPlan | null
  readonly cgroup: CgroupPlan | null
}

const MARK_NAME = 'TONGS_RUN'

/** What a launch tells a spawner; the mark is a text of its own for each start. */
export function describeLaunch(
  { argv, env, cwd, inputs, isNamespaced, mounted = null, guard }: Launch,
  mark: string,
): Pick<StartRequest, 'argv' | 'env' | 'cwd' | 'inputs' | 'isNamespaced' | 'mounted' | 'mark' | 'guard'> {
  return {
    argv,
    env: isNamespaced ? env : { ...env, [MARK_NAME]: mark },
    cwd,
    inputs: inputs.map((input) => {
      if (typeof input === 'string') return { path: input }
      return 'listing' in input || 'real' in input ? input : { base64: Buffer.from(input).toString('base64') }
    }),
    isNamespaced,
    mounted,
    mark,
    guard,
  }
}

/** The path of a file, bytes in base64, a place to mount, or a listing to confirm. */
export type SpawnInput =
  | { readonly path: string }
  | { readonly base64: string }
  | MountedPlace
  | ExpectedListing

/** A control group to create for one command. */
export interface CgroupPlan {
  readonly folder: string
  /** The values to write to its files. */
  readonly settings: readonly (readonly [file: string, value: string])[]
}

/** Why a command was stopped. */
export type StopCause = 'timeout' | 'cancel' | 'guard'

/** To the spawner. */
export type SpawnerRequest =
  | StartRequest
  | { readonly is: 'stop'; readonly id: number; readonly cause: StopCause }
  | PipesRequest

/** Asks the spawner to create pipes and to open them for writing. */
export interface PipesRequest {
  readonly is: 'pipes'
  readonly pipes: readonly NamedPipe[]
}

/** A pipe that has a name until both sides have opened it. */
export interface NamedPipe {
  readonly number: number
  readonly path: string
}

/** The reply to a request for pipes. */
export interface PipesEvent {
  readonly is: 'pipes'
  readonly fault: string | null
}

/** How a command ended, as its parent saw it. */
export interface EndedEvent {
  readonly is: 'ended'
  readonly id: number
  readonly code: number | null
  readonly signal: string | null
  readonly report: string
  readonly stopped: StopCause | null
  readonly durationMs: number
  readonly refused: readonly MovedAside[]
  /** Whether a process of it could not be killed. */
  readonly hasSurvivors: boolean
}

/** From the spawner. */
export type SpawnerEvent =
  | PipesEvent
  | { readonly is: 'started'; readonly id: number; readonly pid: number; readonly hasCgroup: boolean }
  /** Not started, because the workspace is not as it was looked at. */
  | { readonly is: 'changed'; readonly id: number }
  | { readonly is: 'unstarted'; readonly id: number; readonly code: string; readonly message: string }
  | EndedEvent
