import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { isSameContent } from '../../workspace/landing/file-state.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'
import type { FilePlace } from '../../workspace/landing/place-of.ts'

/** Changes with one per file, and the files that were changed in between by somebody else. */
export interface JoinedChanges {
  readonly changes: readonly FileChange[]
  readonly between: readonly FilePlace[]
}

/** Joins changes, in the order in which they would be made, into one per file. Files that end as they begin are left out. */
export function joinChanges(changes: readonly FileChange[]): JoinedChanges {
  const joined = new Map<string, FileChange>()
  const between: FilePlace[] = []
  const detours: Detours = new Map()
  for (const change of changes) {
    const key = placeOf(change.root, change.path)
    const earlier = joined.get(key)
    if (earlier === undefined) {
      joined.set(key, change)
      continue
    }
    // The file was changed between the two; making both changes would lose that.
    if (!isSameContent(earlier.after, change.before)) between.push({ root: change.root, path: change.path })
    noteDetour(detours, change.root, earlier.after, change.before)
    joined.set(key, {
      ...change,
      before: earlier.before,
      after: withMeantime(change, earlier.after),
      folders: [...new Set([...change.folders, ...earlier.folders])],
    })
  }
  const direct = [...joined.values()].map((change) => ({
    ...change,
    after: withoutDetour(change.root, change.after, detours),
  }))
  return { changes: direct.filter(({ before, after }) => !isSameState(before, after)), between }
}

/** The rights of the group, which may be the limit of an access list. */
const GROUP = 0o070

/** What a change leads to, with the mode and attributes that somebody gave the file before it, unless it is about these. */
function withMeantime({ before, after }: FileChange, there: FileState | null): FileState | null {
  if (before === null || after === null || there === null) return after
  if ([before, after, there].some(({ kind }) => kind !== undefined)) return after
  const isMoved = [before, after, there].some(({ held }) => held !== undefined)
  if (isMoved) {
    // It has attributes of its own, so it gets no rights that an access list limited.
    const mode = before.mode === after.mode ? there.mode & (after.mode | ~GROUP) : after.mode
    return { ...after, mode }
  }
  const mode = before.mode === after.mode ? there.mode : after.mode
  const { attributes: own, ...state } = after
  const attributes = before.attributes === own ? there.attributes : own
  return { ...state, mode, ...(attributes === undefined ? {} : { attributes }) }
}

/** Where a content lies that one change would have moved to a path, and the next one from there to the key; null for the journal. */
type Detours = Map<string, string | null>

function noteDetour(detours: Detours, root: string, from: FileState | null, to: FileState | null): void {
  if (from !== null && to?.held !== undefined && from.held !== to.held)
    detours.set(placeOf(root, to.held), from.held ?? null)
}

/** A state whose content comes from where it lies now. */
function withoutDetour(root: string, state: FileState | null, detours: Detours): FileState | null {
  const origin = state?.held === undefined ? undefined : detours.get(placeOf(root, state.held))
  if (state === null || origin === undefined) return state
  if (origin !== null) return withoutDetour(root, { ...state, held: origin }, detours)
  const { held: _held, ...inJournal } = state
  return inJournal
}

/**
 * Whether nothing needs to be done. Two held contents are two files, whose times may differ; and a folder is named also
 * where only names in it change.
 */
function isSameState(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other
  if (one.kind === 'folder' || !isSameContent(one, other) || one.mode !== other.mode) return false
  if (one.held === undefined && one.attributes !== other.attributes) return false
  return one.held === other.held || one.held === undefined || other.held === undefined
}
