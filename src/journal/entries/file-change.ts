import type { Digest } from './content.ts'

/** One side of a change: a file, unless it says otherwise. */
export interface FileState {
  readonly kind?: 'link' | 'folder'
  /** Of the content; of where a link points; of nothing for a folder. */
  readonly digest: Digest
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Payload: its extended attributes; absent if it has none or they could not be read. */
  readonly attributes?: Digest
  /**
   * Where it lies while it is not in the workspace, if not in the journal: a path below the folder of layers of its root.
   * It is moved from there into the workspace and back.
   */
  readonly held?: string
  /** Set if the journal has its content too, although it is held elsewhere. */
  readonly isCopied?: true
}

/** What a committed call did to one file; null means that the file does not exist. */
export interface FileChange {
  /** Absolute path of the file's root. */
  readonly root: string
  /** Canonical, relative to that root, forward slashes. */
  readonly path: string
  readonly before: FileState | null
  readonly after: FileState | null
  /** Folders that were created for it, outermost first. */
  readonly folders: readonly string[]
}
