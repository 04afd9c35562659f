import type { Confinement, MovedAside } from '../confine/confinement.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { Layer } from '../../core/layer.ts'
import type { BinaryOutput } from './bounded-output.ts'

/** One of the two output streams of a command. */
export type StreamName = 'stdout' | 'stderr'

/** The limits of one command; those left out are not limited. */
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

/** What enforces a limit. */
export type LimitHolder = 'cgroup' | 'rlimit' | 'none'

/** A command, and how to run it. */
export interface RunRequest {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  /** The complete environment of the command. */
  readonly env: Readonly<Record<string, string>>
  /** Null for no input. */
  readonly stdin: string | null
  readonly timeoutMs: number
  /** How much of each stream is kept, half from its beginning and half from its end; 256 at the least. */
  readonly keepBytes: number
  /** A stream longer than this goes to the file of its full output, even if it is kept; `keepBytes` if absent. */
  readonly spillFromBytes?: number
  readonly confinement: Confinement
  /** Where the command writes instead of to the roots; to them if absent or null. */
  readonly layer?: Layer | null
  /** A hidden name beyond the layer that another process replaced or created while the command ran; null if there is none. */
  readonly findMoved?: () => string | null
  readonly limits: RunLimits
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** The file for the full output if some of it is left out; null to drop the rest. */
  readonly spill: SpillRequest | null
}

/** A file for the output of a command. */
export interface SpillRequest {
  /** A file that does not exist yet. */
  readonly path: string
  /** Told the SHA-256 of what was written, before the file gets its name. */
  readonly onWritten: (digest: string) => void
  readonly maxBytes: number
  /** What the line about the bytes left out says about the file. */
  readonly note: string
  /** Values to redact from it, in addition to everything that looks like a secret. */
  readonly secrets: readonly string[]
}

/** Receives the output of a running command, and can stop it. */
export interface RunHooks {
  /** Gets all output in order; while a promise that it returned is pending, the command is held back. */
  readonly onChunk?: (stream: StreamName, text: string) => void | Promise<void>
  readonly signal?: AbortSignal
  /** Told, when it has started, what finds out why nothing of its output may be used; that returns null if it may. */
  readonly onStarted?: (findFault: () => ToolFailure | null) => void
}

/** How a command ended. */
export interface RunEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** Bounded; a line in the middle says how much was left out. */
  readonly stdout: string
  readonly stderr: string
  /** The beginning of each stream that is not text. */
  readonly binary: Readonly<Partial<Record<StreamName, BinaryOutput>>>
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly durationMs: number
  readonly isTimedOut: boolean
  readonly isCancelled: boolean
  /** Whether the program was not found, so that nothing was started. */
  readonly isAbsent: boolean
  /** The file with the full output, if some of it was left out. */
  readonly spilled?: string
  /** Why that file is missing or incomplete. */
  readonly spillFault?: string
  readonly limitsHeld: Readonly<Partial<Record<LimitName, LimitHolder>>>
  /** What the command created and was not allowed to; it was stopped for that. */
  readonly refused: readonly MovedAside[]
  /** Whether a process of it could not be killed, which only happens if the kernel hangs or there is no sandbox. */
  readonly hasSurvivors: boolean
}
