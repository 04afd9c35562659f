import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { KnownFolder } from '../landing/folder-identities.ts'
import type { StagedContent } from '../staging/staged-content.ts'
import type { LayerHunks } from '../staging/layer-hunks.ts'

/** A file or link that a command changed, as results and questions show it. */
export interface ShownChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  /** Where it was before, if it was moved here. */
  readonly from?: string
}

/** Something that a command changed and that does not land. */
export interface LeftOut {
  readonly path: string
  /** As the end of a sentence about the path. */
  readonly why: string
}

/** What the commands of a call changed on their layer, judged and ready to land. */
export interface LayerRead {
  /** Files, links and folders, in the order of their paths. */
  readonly changes: readonly FileChange[]
  /**
   * Paths that another process removed or renamed while the command changed them, or whose folder it exchanged; folders
   * that both changed.
   */
  readonly stale: readonly string[]
  /** The folders of the changes, so that landing notices others in their places. */
  readonly folders: readonly KnownFolder[]
  /** The files and links among the changes. */
  readonly shown: readonly ShownChange[]
  readonly leftOut: readonly LeftOut[]
  /** How many files were of a kind that never lands, such as caches. */
  readonly thrownAway: number
  /** The size of the files that would land. */
  readonly bytes: number
  /** The extended attributes that the changes name. */
  readonly attributes: ReadonlyMap<Digest, Uint8Array>
  /** The places of the files that had no extended attributes when they were read. */
  readonly bare: ReadonlySet<string>
  /** What would change, as a unified diff of bounded size. */
  readonly diff: string
  /** The hunks of that diff; null if it does not show everything. */
  readonly hunks: LayerHunks | null
  /** The texts among the files that would land, for checks of their content. */
  readonly contents: readonly StagedContent[]
  readonly notes: readonly string[]
}
