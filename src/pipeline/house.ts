import type { Settings } from '../config/keys.ts'
import type { Approver } from '../core/approval.ts'
import type { Actor, Origin } from '../core/call.ts'
import type { Clock } from '../core/clock.ts'
import type { Registry } from '../core/registry.ts'
import type { ToolResult } from '../core/result.ts'
import type { State } from '../core/lifecycle.ts'
import type { SessionLog } from '../journal/log.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Validation } from './validate.ts'

/** What the pipeline is handed. It finds nothing by itself. */
export interface House {
  readonly settings: Settings
  readonly registry: Registry
  readonly workspace: Workspace
  readonly validation: Validation
  readonly clock: Clock
  readonly newId: () => string
  /** SHA-256 in hex. */
  readonly digest: (bytes: string | Uint8Array) => string
}

/** What is known of one run of a batch. */
export interface Run {
  readonly log: SessionLog
  readonly origin: Origin
  readonly actor: Actor | null
  readonly isDryRun: boolean
  readonly signal: AbortSignal
  readonly onEvent: (event: LiveEvent) => void
  /** Who answers questions; null means nobody, and then nothing that needs an answer is done. */
  readonly approve: Approver | null
  readonly turn: string
}

/** What a watcher is told while a batch runs. */
export type LiveEvent =
  | {
      readonly event: 'state'
      readonly execution: string
      readonly id: string
      readonly name: string
      readonly state: State
    }
  | {
      readonly event: 'output'
      readonly execution: string
      readonly id: string
      readonly stream: 'stdout' | 'stderr'
      readonly chunk: string
    }
  | { readonly event: 'result'; readonly result: ToolResult }
