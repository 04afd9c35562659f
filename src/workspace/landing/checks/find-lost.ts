import { ToolFailure } from '../../../core/error.ts'
import type { Root } from '../../../host/root/root.ts'
import { folderOf } from '../../../host/root/rel-path.ts'
import type { Digest, FileChange, FileState } from '../../../journal/entries/entry.ts'
import type { Unsynced } from '../../../journal/log.ts'
import { stateOrUndefined, amongAll, hasOtherAttributes } from '../change-status.ts'
import type { LookOptions } from '../change-status.ts'
import { isSameContent, isTorn, readBytes } from '../file-state.ts'
import type { CurrentState, Expected } from '../file-state.ts'
import { freedPlaces, isLeaf, isPlain } from '../contents/held.ts'
import { placeOf } from '../place-of.ts'

/** A landed change that is no longer in place, because the machine lost it. */
export interface LostChange {
  /** From what is there now to what should be there. */
  readonly change: FileChange
  readonly found: Expected | null
  /** The call whose change it was. */
  readonly execution: string
  readonly committedAt: number
}

/** What the search for lost changes needs. */
export interface LostOptions extends LookOptions {
  readonly contentOf: (digest: Digest) => Uint8Array | null
}

/** How much later than recorded a landing may have happened, by the clock of the file system. */
const SLACK_MS = 2000

/** What one commit did to a file. */
interface Step {
  readonly change: FileChange
  readonly commit: Unsynced
}

/** The steps of a file, oldest first, and what is there now. */
interface Place {
  readonly steps: readonly Step[]
  readonly newest: Step
  readonly found: CurrentState | null
}

/**
 * Finds changes of landed commits, given oldest first, that a power cut undid: files that are torn, back in an earlier
 * state, or missing. Files that were changed in any other way since are left alone.
 */
export function findLost(commits: readonly Unsynced[], options: LostOptions): readonly LostChange[] {
  const among = amongAll(commits.flatMap(({ changes }) => changes))
  const places = stepsByPlace(commits).flatMap((steps): readonly Place[] => {
    const newest = steps.at(-1)
    const found = newest === undefined ? undefined : stateOrUndefined(newest.change, among, options)
    // A file that cannot be read is not known to be lost.
    if (newest === undefined || found === undefined || isInPlace(newest.change, found, options)) return []
    return [{ steps, newest, found }]
  })
  const replayed = places.flatMap((place) => (isAllPlain(place) ? [] : findReplay(place, options)))
  const freed = freedPlaces(replayed.flat().map(({ change }) => change))
  return [
    ...places.flatMap((place) =>
      isAllPlain(place) ? unlessUnreadable(() => judgePlain(place, options)) : [],
    ),
    ...replayed.filter((lost) => lost.every(({ change }) => isAtHand(change, freed, options))).flat(),
  ]
}

function stepsByPlace(commits: readonly Unsynced[]): readonly (readonly Step[])[] {
  const places = new Map<string, Step[]>()
  for (const commit of commits)
    for (const change of commit.changes) {
      const key = placeOf(change.root, change.path)
      const steps = places.get(key)
      if (steps === undefined) places.set(key, [{ change, commit }])
      else steps.push({ change, commit })
    }
  return [...places.values()]
}

function isAllPlain({ steps }: Place): boolean {
  return steps.every(({ change }) => isPlain(change))
}

function unlessUnreadable(run: () => readonly LostChange[]): readonly LostChange[] {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return []
    throw thrown
  }
}

/** Where only the mode or attributes changed, these tell. */
function isInPlace(change: FileChange, found: CurrentState | null, options: LookOptions): boolean {
  const { before, after } = change
  if (!isSameContent(found, after)) return false
  if (found === null || !isSameContent(before, after) || found.kind === 'link') return true
  if (found.stat.mode !== after?.mode) return false
  if (found.kind === 'folder') return true
  try {
    return !hasOtherAttributes(change, found, options)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return true
    throw thrown
  }
}

/** A file whose contents are all in the journal gets the newest one. */
function judgePlain({ steps, newest, found }: Place, options: LostOptions): readonly LostChange[] {
  const { change, commit } = newest
  const { after } = change
  const root = options.rootOf(change.root)
  const wanted = after === null ? null : options.contentOf(after.digest)
  if ((after !== null && wanted === null) || (found !== null && found.kind !== undefined)) return []
  const earlier = new Set(steps.flatMap((step) => [step.change.before?.digest, step.change.after?.digest]))
  const isLost =
    found === null
      ? isFolderUntouched(root, folderOf(change.path), commit)
      : isOldCopy(found, earlier, commit) || isOursTorn(found, wanted, newest, options)
  const { execution, committedAt } = commit
  return isLost
    ? [{ change: { ...change, before: stateOf(found, null) }, found, execution, committedAt }]
    : []
}

/**
 * Where contents are moved, all steps since the state that was found are taken again, oldest first: each leaves the
 * content that it replaces where undoing it will look for it.
 */
function findReplay({ steps, found }: Place, options: LostOptions): readonly (readonly LostChange[])[] {
  const from = steps.findLastIndex(({ change }) => isSameContent(found, change.before))
  const first = steps[from]
  if (first === undefined || !isUndone(first, found, options)) return []
  let now: LostChange['found'] = found
  return [
    steps.slice(from).map(({ change, commit }, index) => {
      const before = index === 0 ? stateOf(found, change.before) : change.before
      const { execution, committedAt } = commit
      const lost = { change: { ...change, before }, found: now, execution, committedAt }
      now = expectedOf(change.after)
      return lost
    }),
  ]
}

/** Whether a step was undone by the machine and not by a person. */
function isUndone({ change, commit }: Step, found: CurrentState | null, options: LostOptions): boolean {
  const { root, path, after } = change
  // Landed contents are not held any more, unless the machine forgot that they were moved.
  if (after?.held !== undefined && options.held.find(root, after.held) !== null) return true
  if (found !== null) return found.stat.changedMs < commit.committedAt
  return isFolderUntouched(options.rootOf(root), folderOf(path), commit)
}

function isAtHand({ root, after }: FileChange, freed: ReadonlySet<string>, options: LostOptions): boolean {
  if (!isLeaf(after)) return true
  if (after.held === undefined) return options.contentOf(after.digest) !== null
  return freed.has(placeOf(root, after.held)) || options.held.find(root, after.held) !== null
}

function stateOf(found: CurrentState | null, recorded: FileState | null): FileState | null {
  if (found === null) return null
  const { kind, digest, stat } = found
  const { mode, uid, gid } = stat
  const held = recorded?.held
  return { ...(kind && { kind }), digest, mode, uid, gid, ...(held !== undefined && { held }) }
}

function expectedOf(state: FileState | null): Expected | null {
  if (state === null) return null
  return { ...(state.kind && { kind: state.kind }), digest: state.digest, stamp: null }
}

/** A file older than the commit never got its new content; one that was restored later has a later change time. */
function isOldCopy(
  found: CurrentState,
  earlier: ReadonlySet<Digest | undefined>,
  { committedAt }: Unsynced,
): boolean {
  return earlier.has(found.digest) && found.stat.changedMs < committedAt
}

function isOursTorn(
  found: CurrentState,
  wanted: Uint8Array | null,
  { change, commit }: Step,
  { rootOf }: LostOptions,
): boolean {
  if (wanted === null || found.stat.size > wanted.length) return false
  if (found.stat.changedMs > commit.landedAt + SLACK_MS) return false
  const bytes = readBytes(rootOf(change.root), change.path, wanted.length)
  return bytes !== null && isTorn(bytes, wanted)
}

/** If no name in the folder was added or removed since, the file was not removed but never created. */
function isFolderUntouched(root: Root, folder: string, commit: Unsynced): boolean {
  for (let at = folder; ; at = folderOf(at)) {
    const stat = root.stat(at)
    if (stat !== null) return stat.changedMs <= commit.landedAt + SLACK_MS
    if (at === '') return false
  }
}
