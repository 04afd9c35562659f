import { ToolFailure } from '../../core/error.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import type { AttributeCache } from './attribute-cache.ts'
import type { DigestCache } from './digest-cache.ts'
import { isAsExpectedAt, isSameContent, isTorn, readBytes, readState } from './file-state.ts'
import type { CurrentState, Expected } from './file-state.ts'
import { isFolder, isLeaf } from './contents/held.ts'
import type { HeldFiles } from './contents/held.ts'
import { placeOf } from './place-of.ts'

/** What looking at changed files needs. */
export interface LookOptions {
  /** An open root by its path. */
  readonly rootOf: (path: string) => Root
  readonly held: HeldFiles
  readonly digests: DigestCache
  readonly attributeCache: Pick<AttributeCache, 'read'>
}

/** What is needed to check whether a change is in place. */
export interface InspectOptions extends LookOptions {
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
export function inspect(change: FileChange, among: Among, options: InspectOptions): Inspected {
  const expected = options.known?.get(placeOf(change.root, change.path))
  if (expected !== undefined) return { status: 'before', found: expected }
  const found = stateNow(change, among, options)
  const status = judge(change, found, among, options)
  if (status === 'drifted' && found && isLeftTorn(change, found, options)) return { status: 'before', found }
  return { status, found: found ?? null }
}

/** The status of a file that was looked at again, and what has its name. */
export interface Rechecked {
  readonly status: FileStatus
  readonly stat: FileStat | null
}

/** Determines the status again, because writing the contents took time. */
export function recheck({ change, root, found }: Target, among: Among, options: InspectOptions): Rechecked {
  try {
    const stat = root.stat(change.path)
    const limits = { digests: options.digests, maxBytes: Infinity }
    if (isAsExpectedAt(stat, { root, rel: change.path }, found, limits)) return { status: 'before', stat }
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || isUnreadable(thrown)) throw thrown
  }
  const now = stateNow(change, among, options)
  return { status: judge(change, now, among, options), stat: now?.stat ?? null }
}

/** Whether a file is as before its change, as after it, or neither; one that cannot be read is neither. */
export function statusOf(change: FileChange, all: readonly FileChange[], options: LookOptions): FileStatus {
  const among = amongAll(all)
  try {
    return judge(change, stateOrUndefined(change, among, options), among, options)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return 'drifted'
    throw thrown
  }
}

/** What has to be known of all changes to judge one of them. */
export interface Among {
  /**
   * The places where a folder comes or goes in favour of something else: names below them may be out of reach.
   */
  readonly turned: ReadonlySet<string>
  /** The changes that move an old content out of the way, by the place where it is held then. */
  readonly freeing: ReadonlyMap<string, FileChange>
}

/** Gathers what has to be known of all changes. */
export function amongAll(changes: readonly FileChange[]): Among {
  const turned = new Set<string>()
  const freeing = new Map<string, FileChange>()
  for (const change of changes) {
    const { root, path, before, after } = change
    if (before !== null && after !== null && isFolder(before) !== isFolder(after))
      turned.add(placeOf(root, path))
    if (before?.held !== undefined) freeing.set(placeOf(root, before.held), change)
  }
  return { turned, freeing }
}

/** Whether one of the changes has yet to make a folder that leads to this path. */
function isBelowTurned({ root, path }: FileChange, { turned }: Among, top: Root): boolean {
  if (turned.size === 0) return false
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (turned.has(placeOf(root, folder)) && top.stat(folder)?.kind !== 'dir') return true
  return false
}

/** What is at the path of a change; undefined also if it cannot be read. */
export function stateOrUndefined(
  change: FileChange,
  among: Among,
  options: LookOptions,
): CurrentState | null | undefined {
  try {
    return stateNow(change, among, options)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return undefined
    throw thrown
  }
}

/** The status by what is at the path; undefined stands for something that no change is about. */
export function judge(
  change: FileChange,
  found: CurrentState | null | undefined,
  among: Among,
  options: LookOptions,
): FileStatus {
  const { before, after } = change
  if (found === undefined) return 'drifted'
  if (isFolder(before) && isFolder(after)) return judgeFolder(found, before, after)
  if (isLeaf(before) && isLeaf(after) && isSameContent(before, after))
    return judgeAlike(change, found, among, options)
  if (isSameContent(found, after)) return 'after'
  if (isSameContent(found, before)) return 'before'
  return found === null && isOnItsWay(change, among, options) ? 'before' : 'drifted'
}

/** A folder whose mode changes; while names in it change, its owner may write to it. */
function judgeFolder(found: CurrentState | null, before: FileState, after: FileState): FileStatus {
  if (found?.kind !== 'folder') return 'drifted'
  if (found.stat.mode === after.mode) return 'after'
  const open = [before.mode, before.mode | 0o700, after.mode | 0o700]
  return open.includes(found.stat.mode) ? 'before' : 'drifted'
}

/** A file whose content stays: its mode tells, or else its attributes, or whether the new one has yet to come. */
function judgeAlike(
  change: FileChange,
  found: CurrentState | null,
  among: Among,
  options: LookOptions,
): FileStatus {
  const { before, after } = change
  if (found === null) return isOnItsWay(change, among, options) ? 'before' : 'drifted'
  if (!isSameContent(found, after)) return 'drifted'
  if (before?.mode !== after?.mode) {
    if (hasMode(found, after)) return 'after'
    return hasMode(found, before) ? 'before' : 'drifted'
  }
  return isToCome(change, among, options) || hasOtherAttributes(change, found, options) ? 'before' : 'after'
}

/** Whether a file has yet to get the attributes that a change gives it, if it comes from the journal. */
export function hasOtherAttributes(
  { root: top, path, before, after }: FileChange,
  { stat }: CurrentState,
  { rootOf, attributeCache }: LookOptions,
): boolean {
  if (after === null || after.held !== undefined || before?.attributes === after.attributes) return false
  const root = rootOf(top)
  const { digests } = attributeCache.read([{ root, path, stat }])
  return digests.get(placeOf(root.path, path)) !== after.attributes
}

/** How many names a content is followed through, each of which has the one of the next. */
const MOST_NAMES = 64

/** Whether the new content of a change is elsewhere: held, or under the name that another change moves it away from. */
function isToCome(change: FileChange, among: Among, options: LookOptions): boolean {
  let { after } = change
  const { root } = change
  for (let names = 0; after?.held !== undefined && names < MOST_NAMES; names++) {
    if (options.held.find(root, after.held) !== null) return true
    const source = among.freeing.get(placeOf(root, after.held))
    if (source === undefined || source === change) return false
    const found = stateOrUndefined(source, among, options)
    if (!found || !isSameContent(found, source.before)) return false
    // Under that name may also be what is to come there, if it is alike.
    const isAlike = isSameContent(source.before, source.after) && hasMode(found, source.after)
    if (!isAlike) return true
    after = source.after
  }
  return false
}

/** Whether something has the mode of a state; a link has none of its own. */
export function hasMode(found: CurrentState | null, state: FileState | null): boolean {
  return found !== null && (found.kind === 'link' || found.stat.mode === state?.mode)
}

/** Whether a name is empty because its old content was moved away and the new one has yet to come. */
function isOnItsWay(change: FileChange, among: Among, options: LookOptions): boolean {
  const { root, before, after } = change
  if (before === null || after === null) return false
  if (isFolder(before) || isFolder(after)) return true
  if (before.held === undefined || options.held.find(root, before.held) === null) return false
  return after.held === undefined || isToCome(change, among, options)
}

/** What is at the path of a change: null if nothing is, undefined if no change can be about it. */
function stateNow(
  change: FileChange,
  among: Among,
  { rootOf, digests }: LookOptions,
): CurrentState | null | undefined {
  const root = rootOf(change.root)
  try {
    return isBelowTurned(change, among, root) ? null : readState(root, change.path, digests)
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

/** Content that a power cut left incomplete counts as before: overwriting it loses nothing. */
function isLeftTorn(change: FileChange, found: CurrentState, options: InspectOptions): boolean {
  const untilMs = options.tornUntilMs ?? null
  const { after } = change
  if (untilMs === null || after === null || found.kind !== undefined) return false
  if (after.held !== undefined || found.stat.changedMs > untilMs) return false
  const wanted = options.contentOf(after.digest)
  if (wanted === null || found.stat.size > wanted.length) return false
  const bytes = readBytes(options.rootOf(change.root), change.path, wanted.length)
  return bytes !== null && isTorn(bytes, wanted)
}
