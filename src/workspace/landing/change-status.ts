import { ToolFailure } from '../../core/error.ts'
import type { Root } from '../../host/root/root.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import { isAsExpected, isTorn, readState } from './file-state.ts'
import type { CurrentState, Expected } from './file-state.ts'
import { placeOf } from './pending-commits.ts'

/** What is needed to check whether a change is in place. */
export interface InspectOptions {
  /** An open root by its path. */
  readonly rootOf: (path: string) => Root
  readonly contentOf: (digest: Digest) => Uint8Array | null
  /** What the call found in its files just now; null if that is not known, so that they have to be read. */
  readonly known: ReadonlyMap<string, Expected | null> | null
  /**
   * Set if the machine was restarted since the commit: content written before this time, in epoch milliseconds, may be
   * torn and is written again.
   */
  readonly tornUntilMs?: number | null
}

/** Whether a file is as before its change, as after it, or neither. */
export type FileStatus = 'before' | 'after' | 'drifted'

/** A changed file as it was found. */
export interface Inspected {
  readonly status: FileStatus
  /** What was found in its place. */
  readonly found: Expected | null
}

/** A change, with the temporary name of its new content, which is the same in every attempt to land it. */
export interface Target extends Inspected {
  readonly change: FileChange
  readonly root: Root
  readonly staged: string
}

/** Determines the status of a file. What the call found just now is trusted here and rechecked before landing. */
export function inspect(change: FileChange, options: InspectOptions): Inspected {
  const expected = options.known?.get(placeOf(change.root, change.path))
  if (expected !== undefined) return { status: 'before', found: expected }
  const found = contentNow(change, options.rootOf)
  const status = judge(change, digestOf(found))
  if (status === 'drifted' && found && isLeftTorn(change, found, options)) return { status: 'before', found }
  return { status, found: found ?? null }
}

/** Determines the status again, because writing the contents took time. */
export function recheck({ change, root, found }: Target, { rootOf }: InspectOptions): FileStatus {
  try {
    if (isAsExpected(root, change.path, found, Infinity)) return 'before'
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || isUnreadable(thrown)) throw thrown
  }
  return judge(change, digestOf(contentNow(change, rootOf)))
}

/** The paths whose file is not in its `before` state, or is about to change. */
export function findDrift(
  changes: readonly FileChange[],
  rootOf: InspectOptions['rootOf'],
  isReserved: (root: string, path: string) => boolean,
): readonly string[] {
  const isAsBefore = (change: FileChange): boolean => {
    const found = contentOrUndefined(change, rootOf)
    return digestOf(found) === (change.before?.digest ?? null)
  }
  return changes
    .filter((change) => isReserved(change.root, change.path) || !isAsBefore(change))
    .map(({ path }) => path)
}

/** Whether a file is as before its change, as after it, or neither; one that cannot be read is neither. */
export function statusOf(change: FileChange, rootOf: InspectOptions['rootOf']): FileStatus {
  return judge(change, digestOf(contentOrUndefined(change, rootOf)))
}

function contentOrUndefined(
  change: FileChange,
  rootOf: InspectOptions['rootOf'],
): CurrentState | null | undefined {
  try {
    return contentNow(change, rootOf)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return undefined
    throw thrown
  }
}

function judge(change: FileChange, found: Digest | null | undefined): FileStatus {
  if (found === (change.after?.digest ?? null)) return 'after'
  if (found === (change.before?.digest ?? null)) return 'before'
  return 'drifted'
}

/** What is at the path of a change: null if nothing is, undefined if it is not a regular file. */
function contentNow(change: FileChange, rootOf: InspectOptions['rootOf']): CurrentState | null | undefined {
  try {
    return readState(rootOf(change.root), change.path, Infinity)
  } catch (thrown) {
    if (thrown instanceof ToolFailure && !isUnreadable(thrown)) return undefined
    throw thrown
  }
}

/** The errors that mean that something other than a regular file is at the path, or other than a folder above it. */
const NOT_REGULAR_ERRNOS = new Set<unknown>([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'ENODEV',
  'ENAMETOOLONG',
])

/** Whether a failure says nothing about what is at the path, because the machine is at fault. */
function isUnreadable({ error }: ToolFailure): boolean {
  const { errno } = error.details
  return error.code === 'resource_exhausted' || (errno !== undefined && !NOT_REGULAR_ERRNOS.has(errno))
}

function digestOf(found: Expected | null | undefined): Digest | null | undefined {
  return found === undefined || found === null ? found : found.digest
}

/** Content that a power cut left incomplete counts as before: overwriting it loses nothing. */
function isLeftTorn(change: FileChange, found: CurrentState, options: InspectOptions): boolean {
  const untilMs = options.tornUntilMs ?? null
  if (untilMs === null || change.after === null || found.stat.changedMs > untilMs) return false
  const wanted = options.contentOf(change.after.digest)
  return wanted !== null && isTorn(found.bytes, wanted)
}
