/** How the changes of a command are kept apart: by an overlay over the workspace, or in a copy of it. */
export type LayerRung = 'overlay' | 'copy'

/** One root of a layer. */
export interface LayerPart {
  /** The folder of the workspace, absolute and without links. */
  readonly root: string
  /** What tells this folder from another of the same path; layers of earlier versions do not have it. */
  readonly identity?: string
  /**
   * The part's own folder, absolute, on the same file system. Commands write into its folder `upper`, and what they
   * replaced in the workspace is moved to its folder `old` when they land.
   */
  readonly folder: string
}

/** Where the commands of one call write, until what they changed lands or is discarded. */
export interface Layer {
  readonly rung: LayerRung
  /** The call. */
  readonly execution: string
  /** When it was made, by the clock of the file system in epoch milliseconds; what changed in the workspace since then conflicts. */
  readonly startedMs: number
  readonly parts: readonly LayerPart[]
}
