import type { Actor } from '../../core/call.ts'
import type { Digest } from './content.ts'
import type { FileChange } from './file-change.ts'

/** Committed changes were undone or redone. */
export interface RevertedEntry {
  readonly kind: 'undo' | 'redo'
  readonly execution: string
  readonly calls: readonly string[]
  readonly changes: readonly FileChange[]
  /** What tells the roots of its changes from other folders; absent in logs of earlier versions. */
  readonly roots?: readonly string[]
  readonly actor: Actor | null
  /** Calls that are undone or redone in part, with the files whose changes stand now. */
  readonly left?: readonly LeftFiles[]
  /** Set if a tool took back what its call did outside the files, which cannot be redone: the name of the tool. */
  readonly outside?: string
  /** Set if the runtime takes back a commit that is not fully in place. */
  readonly rollsBack?: RollBackRecord
}

/** The files of a call whose changes stand although others of the call are undone. */
export interface LeftFiles {
  readonly call: string
  readonly files: readonly Pick<FileChange, 'root' | 'path'>[]
}

/** Which commit is taken back, and why. */
export interface RollBackRecord {
  /** A call, or an undo or redo. */
  readonly execution: string
  /** It could not be put in place, or a person discarded it. */
  readonly because: 'obstacle' | 'discarded'
  /** What was in the way, in words. */
  readonly why: string
  /** Payload: the result that the call has from now on, as JSON; null for an undo or redo. */
  readonly result: Digest | null
}
