import type { Confinement, MovedAside } from '../confine/confinement.ts'

/** One of the two ways a command speaks. */
export type StreamName = 'stdout' | 'stderr'

/** What one command may use; what is left out is not limited. */
export interface RunLimits {
  /** For each process. */
  readonly cpuSeconds?: number
  /** For each process by rlimit, for all together by cgroup. */
  readonly memoryBytes?: number
  /** All processes and threads together. */
  readonly processes?: number
  /** For each file. */
  readonly fileBytes?: number
}

/** The name of a limit. */
export type LimitName = keyof RunLimits

/** What really keeps a limit. */
export type LimitHolder = 'cgroup' | 'rlimit' | 'none'

/** A command and everything around it. */
export interface RunRequest {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  /** All of the command's variables. */
  readonly env: Readonly<Record<string, string>>
  /** Null for a closed input. */
  readonly stdin: string | null
  readonly timeoutMs: number
  /** How much of each stream is kept, half from its beginning and half from its end; 256 at the least. */
  readonly keepBytes: number
  readonly confinement: Confinement
  readonly limits: RunLimits
  /** How long it has between being asked and being made to stop. */
  readonly graceMs: number
  /** Where all of the output goes where not all is kept; null if the rest is dropped. */
  readonly spill: SpillRequest | null
}

/** A file for what a command says. */
export interface SpillRequest {
  /** A file that does not exist yet. */
  readonly path: string
  readonly maxBytes: number
  /** What the line about left out bytes says of it. */
  readonly note: string
  /** Values that are not to stand in it, like everything else that looks like a secret. */
  readonly secrets: readonly string[]
}

/** Who listens to a running command, and who may stop it. */
export interface RunHooks {
  /** Gets all output in order; while a promise that it gave is open, the command is held back, not the memory filled. */
  readonly onChunk?: (stream: StreamName, text: string) => void | Promise<void>
  readonly signal?: AbortSignal
}

/** How a command ended. */
export interface RunEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** Bounded; a line in the middle says how much was left out. */
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly durationMs: number
  readonly isTimedOut: boolean
  readonly isCancelled: boolean
  /** Where all of the output is, if some of it was left out. */
  readonly spilled?: string
  /** Why that file is missing or not whole. */
  readonly spillFault?: string
  readonly limitsHeld: Readonly<Partial<Record<LimitName, LimitHolder>>>
  /** What the command made and was not left with; it was stopped for it. */
  readonly refused: readonly MovedAside[]
  /** Whether something of it could not be killed, which only happens where the kernel itself hangs or there is no sandbox. */
  readonly hasSurvivors: boolean
}
