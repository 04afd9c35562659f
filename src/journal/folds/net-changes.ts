import type { FileChange, FileState } from '../entries/entry.ts'

/** What several calls together did to a file. */
export interface NetChange {
  readonly path: string
  readonly is: 'created' | 'modified' | 'deleted'
}

/** Merges the changes of each file into one, from its first state to its last. Files that end as they began are left out. */
export function netChanges(
  changes: readonly Pick<FileChange, 'path' | 'before' | 'after'>[],
): readonly NetChange[] {
  const files = new Map<string, Pick<FileChange, 'before' | 'after'>>()
  for (const { path, before, after } of changes) {
    if (!isAboutFile({ before, after })) continue
    const first = files.get(path) ?? { before }
    files.set(path, { before: first.before, after })
  }
  return [...files].flatMap(([path, { before, after }]) => {
    if (isSame(before, after)) return []
    return [{ path, is: before === null ? 'created' : after === null ? 'deleted' : 'modified' } as const]
  })
}

/** Whether a change is about a file or a link; folders change along with what is in them. */
export function isAboutFile({ before, after }: Pick<FileChange, 'before' | 'after'>): boolean {
  return [before, after].some((state) => state !== null && state.kind !== 'folder')
}

const MOST_NAMED = 12

/** The changed files in one line; of many, the first and how many more. */
export function nameChanges(changes: readonly FileChange[]): string {
  const paths = changes.filter(isAboutFile).map(({ path }) => path)
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
