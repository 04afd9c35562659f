import { failure } from '../../core/error.ts'
import { removeIfExists, writePrivateFile } from '../../host/fs/folders.ts'
import { errnoOf } from '../../host/fs/errno.ts'
import { ioFailure } from '../../host/root/io-failure.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { staleFile, isAsExpected } from './file-state.ts'
import type { Expected } from './file-state.ts'
import type { Located } from '../sandbox/sandbox.ts'
import type { StagedLayer } from '../workspace.ts'
import type { StagedFile } from '../staging/staged-file.ts'

/** A call's staged files until they are in place. */
export interface PendingCommit {
  readonly staged: readonly StagedFile[]
  /** What its commands changed on a layer. */
  readonly layer?: StagedLayer
  readonly maxFileBytes: number
  /** The backup path of a file. */
  readonly backupPathFor: (at: Located) => string
}

/** The calls that are prepared and neither landed nor dropped. */
export interface PendingCommits {
  readonly add: (execution: string, pending: PendingCommit) => void
  /** Writes the backups that the result names. */
  readonly writeBackups: (execution: string) => void
  /** Throws if a file changed since the call read it, or another call or session is about to change it. */
  readonly confirm: (execution: string, otherSessions: readonly FileChange[]) => void
  /** Whether a confirmed call is about to change a file. */
  readonly isReserved: (root: string, path: string) => boolean
  /** Whether a call of this process is prepared, so that it may be about to land. */
  readonly isPending: (execution: string) => boolean
  /** Discards a call and removes its backups. */
  readonly drop: (execution: string) => void
  /** Takes out a call that is about to land, and returns what it found in its files, by root and path. */
  readonly take: (execution: string) => ReadonlyMap<string, Expected | null> | null
}

/** More calls than are ever in flight; a call that got lost is dropped eventually. */
const MAX_PENDING = 1024

/** The key of a file, from its root and path. */
export function placeOf(root: string, path: string): string {
  return `${root}\0${path}`
}

/** Keeps what was found while preparing calls, so that it need not be read again. */
export function createPendingCommits(): PendingCommits {
  const pending = new Map<string, PendingCommit>()
  /** The files of confirmed calls, each with its call: other calls run between the commit and the landing. */
  const reserved = new Map<string, string>()

  const release = (execution: string): PendingCommit | undefined => {
    const commit = pending.get(execution)
    pending.delete(execution)
    for (const { at } of commit?.staged ?? []) {
      const place = placeOf(at.root.path, at.rel)
      if (reserved.get(place) === execution) reserved.delete(place)
    }
    return commit
  }

  const backups = ({ staged, backupPathFor }: PendingCommit) =>
    staged.flatMap(({ at, base, keepsBackup }) =>
      base !== null && keepsBackup ? [{ path: backupPathFor(at), bytes: base.bytes }] : [],
    )

  return {
    add(execution, commit) {
      const [oldest] = pending.size >= MAX_PENDING ? pending.keys() : []
      if (oldest !== undefined) release(oldest)
      pending.set(execution, commit)
    },
    writeBackups(execution) {
      const commit = pending.get(execution)
      if (commit === undefined) return
      for (const { path, bytes } of backups(commit)) writeBackup(path, bytes)
    },
    confirm(execution, otherSessions) {
      const commit = pending.get(execution)
      if (commit === undefined) throw failure('execution_failed', 'The call was not prepared.')
      const taken = new Set(otherSessions.map(({ root, path }) => placeOf(root, path)))
      for (const { at, base } of commit.staged) {
        const place = placeOf(at.root.path, at.rel)
        const isOthers = taken.has(place) || (reserved.get(place) ?? execution) !== execution
        if (isOthers || !isAsExpected(at.root, at.rel, base, commit.maxFileBytes)) throw staleFile(at.display)
      }
      for (const { at } of commit.staged) reserved.set(placeOf(at.root.path, at.rel), execution)
    },
    isReserved: (root, path) => reserved.has(placeOf(root, path)),
    isPending: (execution) => pending.has(execution),
    drop(execution) {
      const commit = release(execution)
      if (commit === undefined) return
      for (const { path } of backups(commit)) removeIfPossible(path)
    },
    take(execution) {
      const commit = release(execution)
      if (commit === undefined) return null
      return new Map(commit.staged.map(({ at, base }) => [placeOf(at.root.path, at.rel), base]))
    },
  }
}

/** A failure to clean up must not hide its cause; leftovers are pruned by age. */
function removeIfPossible(path: string): void {
  try {
    removeIfExists(path)
  } catch (error) {
    if (errnoOf(error) === null) throw error
  }
}

function writeBackup(path: string, bytes: Uint8Array): void {
  try {
    writePrivateFile(path, bytes)
  } catch (error) {
    throw ioFailure(error, 'write the backup', path)
  }
}
