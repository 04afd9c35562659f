import type { Digest, FileState } from '../../journal/entries/entry.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'
import type { Located } from '../sandbox/sandbox.ts'

/** A file as it was when a call first read it. */
export interface Original {
  readonly bytes: Uint8Array
  readonly digest: Digest
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly hardLinks: number
  /** Shows whether it is unchanged; null if only reading it again can show that. */
  readonly stamp: FileStamp | null
  /** Set if this is the text of an open buffer that is not saved. */
  readonly isUnsaved?: true
  /** Set if it is not on disk yet: the call that has staged it, and what the commit of that call records of it. */
  readonly left?: { readonly by: string; readonly state: FileState }
}

/** A file that a call wants to change; null stands for no such file. */
export interface StagedFile {
  readonly at: Located
  readonly base: Original | null
  readonly after: Uint8Array | null
  readonly keepsBackup: boolean
  /** The file whose mode and owner a new file copies; null for the defaults. */
  readonly like: Original | null
  /** The location of that file. */
  readonly likeAt: Located | null
}

/** A folder that a call wants to make or remove. */
export interface StagedFolder {
  readonly at: Located
  /** The folder whose mode and owner a new one copies; null for one that is removed if it is empty then. */
  readonly likeAt: Located | null
}

/** Whether the content really differs. */
export function isChange({ base, after }: StagedFile): boolean {
  if (base === null || after === null) return base !== after
  return !Buffer.from(base.bytes.buffer, base.bytes.byteOffset, base.bytes.byteLength).equals(after)
}
