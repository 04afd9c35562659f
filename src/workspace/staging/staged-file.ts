import type { Digest } from '../../journal/entries/entry.ts'
import type { FileStamp } from '../../host/root/file-stat.ts'
import type { Located } from '../sandbox/sandbox.ts'

/** A file as it was when a call first looked at it. */
export interface Original {
  readonly bytes: Uint8Array
  readonly digest: Digest
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly hardLinks: number
  /** Tells whether it is still so; null where only reading it again can. */
  readonly stamp: FileStamp | null
}

/** A file that a call wants changed: null is 'no such file'. */
export interface StagedFile {
  readonly at: Located
  readonly base: Original | null
  readonly after: Uint8Array | null
  readonly keepsBackup: boolean
  /** Whose mode and owner a new file takes over; null for the usual ones. */
  readonly like: Original | null
  /** Where that one lies. */
  readonly likeAt: Located | null
  /** Folders that go with the file if they are empty then, outermost first. */
  readonly folders: readonly string[]
}

/** Whether the change changes anything. */
export function isChange({ base, after }: StagedFile): boolean {
  if (base === null || after === null) return base !== after
  return !Buffer.from(base.bytes.buffer, base.bytes.byteOffset, base.bytes.byteLength).equals(after)
}
