import type { FileStat } from '../root/root.ts'

/** Where the bytes of something that the command left lie: in its layer, or still in the workspace under another name. */
export interface LayerSource {
  readonly layer: 'upper' | 'lower'
  readonly path: string
}

/** One name that a command on a layer created, changed or removed. */
export interface LayerChange {
  readonly path: string
  /** What is in the workspace now; null if nothing. */
  readonly before: FileStat | null
  /** What the command left; null if it removed the name. */
  readonly after: (FileStat & { readonly source: LayerSource }) | null
  /** Set for a file of the upper layer with the same content, mode and owner: only attributes or times can differ. */
  readonly isSame?: true
}
