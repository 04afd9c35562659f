import { failure } from '../../core/error.ts'
import { removeIfExists, writePrivateFile } from '../../host/fs/folders.ts'
import { errnoOf } from '../../host/fs/errno.ts'
import { ioFailure } from '../../host/root/io-failure.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { changedMeanwhile, isAsExpected } from './file-state.ts'
import type { Expected } from './file-state.ts'
import type { Located } from '../sandbox/sandbox.ts'
import type { StagedFile } from '../staging/staged-file.ts'

/** What is known of a call's staged files until they are in place. */
export interface PendingCommit {
  readonly staged: readonly StagedFile[]
  readonly maxFileBytes: number
  /** Where the old content of a file goes. */
  readonly backupPathFor: (at: Located) => string
}

/** The calls that are prepared, and neither in place nor given up. */
export interface PendingCommits {
  readonly add: (execution: string, pending: PendingCommit) => void
  /** Writes the backups that the result names. */
  readonly writeBackups: (execution: string) => void
  /** Throws where a file is not as the call found it, or another call or session is about to change it. */
  readonly confirm: (execution: string, otherSessions: readonly FileChange[]) => void
  /** Whether a call that was confirmed is about to change a file. */
  readonly isReserved: (root: string, path: string) => boolean
  /** Gives a call up: what was written for it goes. */
  readonly drop: (execution: string) => void
  /** What the call found in its files, by root and path; to be asked once, when they are put in place. */
  readonly take: (execution: string) => ReadonlyMap<string, Expected | null> | null
}

/** More calls than this are not in flight at once; one that got lost is not kept for ever. */
const MAX_PENDING = 1024

/** The key of a file in what `take` gives. */
export function placeOf(root: string, path: string): string {
  return `${root}\0${path}`
}

/** Keeps what was learnt while preparing, so that it need not be learnt again. */
export function createPendingCommits(): PendingCommits {
  const pending = new Map<string, PendingCommit>()
  /** The files of confirmed calls, each with its call: between the commit and the landing others of the process run. */
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
        if (isOthers || !isAsExpected(at.root, at.rel, base, commit.maxFileBytes))
          throw changedMeanwhile(at.display)
      }
      for (const { at } of commit.staged) reserved.set(placeOf(at.root.path, at.rel), execution)
    },
    isReserved: (root, path) => reserved.has(placeOf(root, path)),
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

/** Tidying must not hide why it became necessary; what stays is pruned with age. */
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
    throw ioFailure(error, 'keep the old content in', path)
  }
}
