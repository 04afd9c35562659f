import type { GuardPlan, MovedAside } from '../confine/confinement.ts'

/** What the spawner is asked to start. */
export interface StartRequest {
  readonly is: 'start'
  readonly id: number
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Pipes by name; this side has them open for reading. */
  readonly stdout: string
  readonly stderr: string
  /** Files that are read from the descriptors after the witness's. */
  readonly inputs: readonly string[]
  /** A file that the command reads, removed once it is open; null for nothing to read. */
  readonly stdin: string | null
  readonly timeoutMs: number
  /** How long the command has between being asked and being made to stop. */
  readonly graceMs: number
  readonly isNamespaced: boolean
  /** A text in the command's environment that nothing else holds; empty in a namespace. */
  readonly mark: string
  readonly guard: GuardPlan | null
  readonly cgroup: CgroupPlan | null
}

/** A control group to be made for one command. */
export interface CgroupPlan {
  readonly folder: string
  /** What to write to which of its files. */
  readonly settings: readonly (readonly [file: string, value: string])[]
}

/** Why a command was stopped. */
export type StopCause = 'timeout' | 'cancel' | 'guard'

/** To the spawner. */
export type SpawnerRequest =
  | StartRequest
  | { readonly is: 'stop'; readonly id: number; readonly cause: StopCause }
  | { readonly is: 'pipes'; readonly paths: readonly string[] }

/** What came of asking for pipes. */
export interface PipesEvent {
  readonly is: 'pipes'
  readonly paths: readonly string[]
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
  /** Whether something of it could not be killed. */
  readonly hasSurvivors: boolean
}

/** From the spawner. */
export type SpawnerEvent =
  | PipesEvent
  | { readonly is: 'started'; readonly id: number; readonly pid: number; readonly hasCgroup: boolean }
  | { readonly is: 'unstarted'; readonly id: number; readonly code: string; readonly message: string }
  | EndedEvent
