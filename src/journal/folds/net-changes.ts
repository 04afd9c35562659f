import { showPath } from '../../core/text/display/show-path.ts'
import { posix } from 'node:path'
import type { FileChange, FileState } from '../entries/entry.ts'

/** What several calls together did to a file. */
export interface NetChange {
  /** As `nameFile` names it; if the root of the session is not known, the whole path only where two roots hold one path. */
  readonly path: string
  readonly is: 'created' | 'modified' | 'deleted'
}

/** Merges the changes of each file into one, from its first state to its last. Files that end as they began are left out. */
export function netChanges(
  changes: readonly Pick<FileChange, 'root' | 'path' | 'before' | 'after'>[],
  ownRoot: string | null = null,
): readonly NetChange[] {
  const files = new Map<string, Pick<FileChange, 'root' | 'path' | 'before' | 'after'>>()
  for (const { root, path, before, after } of changes) {
    if (!isAboutFile({ before, after })) continue
    const place = `${root}\0${path}`
    const first = files.get(place) ?? { before }
    files.set(place, { root, path, before: first.before, after })
  }
  const left = [...files.values()].filter(({ before, after }) => !isSame(before, after))
  const rootsOf = Map.groupBy(left, ({ path }) => path)
  return left.map(({ before, after, ...file }) => {
    const isClear = ownRoot === null && rootsOf.get(file.path)?.length === 1
    return {
      path: isClear ? file.path : nameFile(file, ownRoot),
      is: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    }
  })
}

/** Whether a change is about a file or a link; folders change along with what is in them. */
export function isAboutFile({ before, after }: Pick<FileChange, 'before' | 'after'>): boolean {
  return [before, after].some((state) => state !== null && state.kind !== 'folder')
}

/** A file as it is named to people: by its path in the root of the session, by its whole path in another root. */
export function nameFile({ root, path }: Pick<FileChange, 'root' | 'path'>, ownRoot: string | null): string {
  return root === ownRoot ? path : posix.join(root, path)
}

const MOST_NAMED = 12

/** The changed files in one line; of many, the first and how many more. */
export function nameChanges(changes: readonly FileChange[], ownRoot: string): string {
  const paths = changes.filter(isAboutFile).map((file) => showPath(nameFile(file, ownRoot)))
  if (paths.length <= MOST_NAMED) return paths.join(' ')
  return `${paths.slice(0, MOST_NAMED).join(' ')} and ${paths.length - MOST_NAMED} more`
}

function isSame(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.kind === other.kind &&
    one.digest === other.digest &&
    one.mode === other.mode &&
    one.uid === other.uid &&
    one.gid === other.gid &&
    one.attributes === other.attributes
  )
}
