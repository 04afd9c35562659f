import { ToolFailure } from '../../core/error.ts'
import type { Root } from '../../host/root/root.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { Unsynced } from '../../journal/log.ts'
import { isTorn, readState } from './file-state.ts'
import type { CurrentState, Expected } from './file-state.ts'
import { placeOf } from './pending-commits.ts'

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
export interface LostOptions {
  readonly rootOf: (path: string) => Root
  readonly contentOf: (digest: Digest) => Uint8Array | null
}

/** How much later than recorded a landing may have happened, by the clock of the file system. */
const SLACK_MS = 2000

interface Place {
  readonly change: FileChange
  readonly commit: Unsynced
  /** Earlier digests of the file; null stands for no such file. */
  readonly earlier: ReadonlySet<Digest | null>
}

/**
 * Finds changes of landed commits, given oldest first, that a power cut undid: files that are torn, back in an earlier
 * state, or missing. Files that were changed in any other way since are left alone.
 */
export function findLost(commits: readonly Unsynced[], options: LostOptions): readonly LostChange[] {
  return [...newestPlaces(commits).values()].flatMap((place) => {
    try {
      return judgePlace(place, options)
    } catch (thrown) {
      // A file that cannot be read is not known to be lost.
      if (thrown instanceof ToolFailure) return []
      throw thrown
    }
  })
}

function newestPlaces(commits: readonly Unsynced[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const commit of commits) {
    for (const change of commit.changes) {
      const key = placeOf(change.root, change.path)
      const known = places.get(key)
      const earlier = new Set(known?.earlier).add(change.before?.digest ?? null)
      if (known !== undefined) earlier.add(known.change.after?.digest ?? null)
      places.set(key, { change, commit, earlier })
    }
  }
  return places
}

function judgePlace({ change, commit, earlier }: Place, options: LostOptions): readonly LostChange[] {
  const root = options.rootOf(change.root)
  const { after } = change
  const found = readState(root, change.path, Infinity)
  if ((found?.digest ?? null) === (after?.digest ?? null)) return []
  const wanted = after === null ? null : options.contentOf(after.digest)
  if (after !== null && wanted === null) return []
  const isLost =
    found === null
      ? isFolderUntouched(root, folderOf(change.path), commit)
      : isOldCopy(found, earlier, commit) || isOursTorn(found, wanted, commit)
  if (!isLost) return []
  const before =
    found === null
      ? null
      : { digest: found.digest, mode: found.stat.mode, uid: found.stat.uid, gid: found.stat.gid }
  const { execution, committedAt } = commit
  return [{ change: { ...change, before }, found, execution, committedAt }]
}

/** A file older than the commit never got its new content; one that was restored later has a later change time. */
function isOldCopy(
  found: CurrentState,
  earlier: ReadonlySet<Digest | null>,
  { committedAt }: Unsynced,
): boolean {
  return earlier.has(found.digest) && found.stat.changedMs < committedAt
}

function isOursTorn(found: CurrentState, wanted: Uint8Array | null, { landedAt }: Unsynced): boolean {
  return wanted !== null && found.stat.changedMs <= landedAt + SLACK_MS && isTorn(found.bytes, wanted)
}

/** If no name in the folder was added or removed since, the file was not removed but never created. */
function isFolderUntouched(root: Root, folder: string, commit: Unsynced): boolean {
  for (let at = folder; ; at = folderOf(at)) {
    const stat = root.stat(at)
    if (stat !== null) return stat.changedMs <= commit.landedAt + SLACK_MS
    if (at === '') return false
  }
}
