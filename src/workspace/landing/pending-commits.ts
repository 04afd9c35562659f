import { failure } from '../../core/error.ts'
import { removeIfExists, writePrivateFile } from '../../host/fs/folders.ts'
import { errnoOf } from '../../host/fs/errno.ts'
import { absoluteOf, showPath } from '../../host/root/rel-path.ts'
import { ioFailure } from '../../host/root/io-failure.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { FindUnsaved } from '../buffers/unsaved.ts'
import type { LookOptions } from './change-status.ts'
import { staleFile, isAsExpected } from './file-state.ts'
import { requireNoConflicts } from './checks/find-conflicts.ts'
import type { LayerChanges } from './checks/find-conflicts.ts'
import type { Expected } from './file-state.ts'
import { placeOf } from './place-of.ts'
import { readCurrent } from './read-current.ts'
import type { Located } from '../sandbox/sandbox.ts'
import type { StagedFile } from '../staging/staged-file.ts'

/** A call's staged files until they are in place. */
export interface PendingCommit {
  readonly staged: readonly StagedFile[]
  /** What commands changed on a layer. */
  readonly layer?: LayerChanges
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
  /** Takes confirmations back. */
  readonly retract: (executions: readonly string[]) => void
  /** Whether a confirmed call is about to change a file. */
  readonly isReserved: (root: string, path: string) => boolean
  /** Whether a call of this process is prepared, so that it may be about to land. */
  readonly isPending: (execution: string) => boolean
  /** Discards a call and removes its backups. */
  readonly drop: (execution: string) => void
  /** Takes out calls that are about to land together, and returns what the first of each file found there, by root and path. */
  readonly take: (executions: readonly string[]) => ReadonlyMap<string, Expected | null> | null
  /** The same for a landing with pauses, in which no other call may change these files; `endLanding` ends it. */
  readonly startLanding: (
    executions: readonly string[],
    changes: readonly FileChange[],
  ) => ReadonlyMap<string, Expected | null> | null
  readonly endLanding: (executions: readonly string[]) => void
  /** Whether a landing with pauses is under way. */
  readonly isLanding: (execution: string) => boolean
}

/** More calls than are ever in flight; a call that got lost is dropped eventually. */
const MAX_PENDING = 1024

/** What confirming calls needs. */
export interface PendingOptions extends LookOptions {
  /** Throws if one of these changes, which commands made on a layer, must not land. */
  readonly judgeAgain: (changes: readonly FileChange[]) => void
  /** Finds unsaved texts of open buffers; null if no editor is there. */
  readonly findUnsaved: FindUnsaved | null
}

/** Keeps what was found while preparing calls, so that it need not be read again. */
export function createPendingCommits(options: PendingOptions): PendingCommits {
  const pending = new Map<string, PendingCommit>()
  /** The files of confirmed calls, each with its call: other calls run between the commit and the landing. */
  const reserved = new Map<string, string>()
  /** What confirmed calls found at the places that their layers change. */
  const found = new Map<string, ReadonlyMap<string, Expected | null>>()

  /** The files of landings that are under way, by call. */
  const landing = new Map<string, readonly FileChange[]>()

  const release = (execution: string): PendingCommit | undefined => {
    const commit = pending.get(execution)
    pending.delete(execution)
    found.delete(execution)
    for (const place of commit === undefined ? [] : placesOf(commit))
      if (reserved.get(place) === execution) reserved.delete(place)
    return commit
  }

  const unreserve = (execution: string): void => {
    for (const [place, by] of reserved) if (by === execution) reserved.delete(place)
  }

  const takeOne = (execution: string): Iterable<readonly [string, Expected | null]> | null => {
    const onLayer = found.get(execution) ?? []
    const commit = release(execution)
    if (commit === undefined) return null
    return [
      ...commit.staged.map(({ at, base }) => [placeOf(at.root.path, at.rel), base] as const),
      ...onLayer,
    ]
  }

  const take: PendingCommits['take'] = (executions) => {
    const known = new Map<string, Expected | null>()
    let isKnown = true
    for (const execution of executions) {
      const own = takeOne(execution)
      isKnown &&= own !== null
      for (const [place, expected] of own ?? []) if (!known.has(place)) known.set(place, expected)
    }
    return isKnown ? known : null
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
        const by = reserved.get(place) ?? execution
        // The call that it is staged on was confirmed just now, and nothing comes between the two.
        if (base?.left !== undefined && base.left.by === by) continue
        const isOthers = taken.has(place) || by !== execution
        const limits = { digests: options.digests, maxBytes: commit.maxFileBytes }
        const unsaved = unsavedDigest(at, commit.maxFileBytes, options.findUnsaved)
        const isSame =
          base?.isUnsaved === true
            ? unsaved === base.digest
            : unsaved === null && isAsExpected(at.root, at.rel, base, limits)
        if (isOthers || !isSame) throw staleFile(at.display)
      }
      if (commit.layer !== undefined) {
        const isTaken = (place: string): boolean =>
          taken.has(place) || (reserved.get(place) ?? execution) !== execution
        options.judgeAgain(commit.layer.changes)
        requireSaved(commit.layer.changes, options)
        found.set(execution, requireNoConflicts(commit.layer, isTaken, options))
      }
      for (const place of placesOf(commit)) reserved.set(place, execution)
    },
    retract(executions) {
      for (const execution of executions) unreserve(execution)
    },
    isReserved: (root, path) => reserved.has(placeOf(root, path)),
    isPending: (execution) => pending.has(execution) || landing.has(execution),
    drop(execution) {
      const commit = release(execution)
      if (commit === undefined) return
      for (const { path } of backups(commit)) removeIfPossible(path)
    },
    take,
    startLanding(executions, changes) {
      const known = take(executions)
      for (const execution of executions) {
        landing.set(execution, changes)
        for (const { root, path } of changes) reserved.set(placeOf(root, path), execution)
      }
      return known
    },
    endLanding(executions) {
      for (const execution of executions) {
        for (const { root, path } of landing.get(execution) ?? []) {
          const place = placeOf(root, path)
          if (reserved.get(place) === execution) reserved.delete(place)
        }
        landing.delete(execution)
      }
    },
    isLanding: (execution) => landing.has(execution),
  }
}

/** What an editor holds of a file and has not saved; null if what is on disk counts. */
function unsavedDigest(
  { root, rel, absolute }: Located,
  maxBytes: number,
  findUnsaved: FindUnsaved | null,
): Digest | null {
  const current = findUnsaved === null ? null : readCurrent(root, rel, maxBytes)
  const bytes = current === null ? null : (findUnsaved?.(absolute, current.bytes, current.identity) ?? null)
  return bytes === null ? null : digest(bytes)
}

/** Commands see what is saved, so what they made of a file with unsaved text would not fit that text. */
function requireSaved(
  changes: readonly FileChange[],
  { findUnsaved, rootOf }: Pick<PendingOptions, 'findUnsaved' | 'rootOf'>,
): void {
  if (findUnsaved === null) return
  const unsaved = changes.filter(({ root, path }) => {
    const current = readCurrent(rootOf(root), path, Infinity)
    return current !== null && findUnsaved(absoluteOf(root, path), current.bytes, current.identity) !== null
  })
  const [first] = unsaved
  if (first === undefined) return
  const file = showPath(first.path)
  throw failure(
    'stale_file',
    `${file} has unsaved text in the editor, which the command did not see. Nothing was landed.`,
    { file, files: unsaved.map(({ path }) => showPath(path)), reason: 'unsaved' },
    ['Ask the user to save the file or to drop the text, then run the command again.'],
  )
}

function placesOf({ staged, layer }: PendingCommit): readonly string[] {
  return [
    ...staged.map(({ at }) => placeOf(at.root.path, at.rel)),
    ...(layer?.changes ?? []).map(({ root, path }) => placeOf(root, path)),
  ]
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
