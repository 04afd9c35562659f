import { absoluteOf, folderOf } from '../../host/root/rel-path.ts'
import { digest } from '../../host/system/hash.ts'
import type { Located } from '../sandbox/sandbox.ts'
import type { Original } from './staged-file.ts'

/** What a preview assumes: that the earlier calls of the batch succeed, with their changes made and their reads counted. */
export interface PreviewState {
  /** Contents that earlier calls would leave behind, by absolute path; null is 'no such file'. */
  readonly contents: ReadonlyMap<string, Uint8Array | null>
  /** Absolute paths that earlier calls would have read. */
  readonly reads: ReadonlySet<string>
}

/** A preview state that grows with every call that is previewed. */
export interface GrowingPreview extends PreviewState {
  readonly contents: Map<string, Uint8Array | null>
  readonly reads: Set<string>
}

/** What a call finds instead of what is on disk: files as earlier calls of its batch leave them. */
export interface AssumedFiles {
  readonly isEmpty: boolean
  /** The size of all of them. */
  readonly bytes: number
  /** A file as it is left; null for one that is gone, undefined for one that is as on disk. */
  readonly find: (absolute: string) => Original | null | undefined
  /** Whether a file counts as read. */
  readonly isRead: (absolute: string) => boolean
  /** Whether it is known what the call will find at a place, which was looked up on disk. */
  readonly covers: (at: Located) => boolean
}

/** Assumes nothing: only what is on disk counts. */
export const NOTHING_ASSUMED: AssumedFiles = {
  isEmpty: true,
  bytes: 0,
  find: () => undefined,
  isRead: () => false,
  covers: () => true,
}

/** Assumes what a preview does. Owners and modes are placeholders, which a preview does not use. */
export function assumePreview({ contents, reads }: PreviewState): AssumedFiles {
  return {
    ...NOTHING_ASSUMED,
    find(absolute) {
      const bytes = contents.get(absolute)
      if (bytes === undefined || bytes === null) return bytes
      return { bytes, digest: digest(bytes), mode: 0o644, uid: 0, gid: 0, hardLinks: 1, stamp: null }
    },
    isRead: (absolute) => contents.has(absolute) || reads.has(absolute),
  }
}

/** The folders between a file and its root, innermost first, as absolute paths. */
export function foldersAbove(at: Located): readonly string[] {
  const above: string[] = []
  for (let rel = folderOf(at.rel); rel !== ''; rel = folderOf(rel)) above.push(absoluteOf(at.root.path, rel))
  return above
}
