import type { FileChange, LeftFiles, RevertedEntry, StoredEntry } from '../../journal/entries/entry.ts'
import { placeOf } from '../../workspace/landing/place-of.ts'

/** Which changes of a call stand: all of them, or those of some files, by root and path. */
type Standing = 'all' | ReadonlySet<string>

const NOTHING: Standing = new Set<string>()

/** Which changes of calls stand, read from the entries of a session, newest first: the newest one about a call counts. */
export class StandingChanges {
  readonly #calls = new Map<string, Standing>()

  /** Takes up an undo or redo. */
  take({ kind, calls, left = [] }: RevertedEntry): void {
    const parts = new Map(left.map((one) => [one.call, placesOf(one)]))
    for (const call of calls)
      if (!this.#calls.has(call))
        this.#calls.set(call, parts.get(call) ?? (kind === 'undo' ? NOTHING : 'all'))
  }

  /** The changes of a call that stand. */
  of(call: string, changes: readonly FileChange[]): readonly FileChange[] {
    const standing = this.#calls.get(call) ?? 'all'
    return standing === 'all'
      ? changes
      : changes.filter(({ root, path }) => standing.has(placeOf(root, path)))
  }
}

function placesOf({ files }: LeftFiles): ReadonlySet<string> {
  return new Set(files.map(({ root, path }) => placeOf(root, path)))
}

/** What stood of some calls before an undo, as far as that was not all of them. */
export function leftBefore(
  undo: { readonly calls: readonly string[]; readonly seq: number },
  edits: Iterable<StoredEntry>,
): readonly LeftFiles[] {
  const standing = new StandingChanges()
  const wanted = new Set(undo.calls)
  const left: LeftFiles[] = []
  for (const { entry, seq } of edits) {
    if (seq >= undo.seq) continue
    if (entry.kind === 'undo' || entry.kind === 'redo') standing.take(entry)
    if (entry.kind !== 'settled' || !wanted.delete(entry.execution)) continue
    const stood = standing.of(entry.execution, entry.changes)
    if (stood.length < entry.changes.length) left.push({ call: entry.execution, files: namesOf(stood) })
    if (wanted.size === 0) break
  }
  return left
}

/** The files of changes, as an entry names them. */
export function namesOf(changes: readonly FileChange[]): LeftFiles['files'] {
  return changes.map(({ root, path }) => ({ root, path }))
}
