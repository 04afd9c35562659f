import type { Digest } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { ToolFacts } from './outside/plan-compensation.ts'

/** What planning an undo or redo needs. */
export interface RevertDeps {
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly tools: ToolFacts
  readonly digest: (bytes: Uint8Array) => Digest
  /** The largest file that is merged. */
  readonly maxBytes: number
  /** Shows what changes in every file, not only in those that are merged. */
  readonly hasWholeDiff: boolean
}
