import type { FileChange, FileState } from '../entries/entry.ts'

/** What several calls together have made of a file. */
export interface NetChange {
  readonly path: string
  readonly is: 'created' | 'modified' | 'deleted'
}

/** Several changes of one file are one: from what it was at first to what it is at last. One that is as it was is none. */
export function netChanges(
  changes: readonly Pick<FileChange, 'path' | 'before' | 'after'>[],
): readonly NetChange[] {
  const files = new Map<string, Pick<FileChange, 'before' | 'after'>>()
  for (const { path, before, after } of changes) {
    const first = files.get(path) ?? { before }
    files.set(path, { before: first.before, after })
  }
  return [...files].flatMap(([path, { before, after }]) => {
    if (isSame(before, after)) return []
    return [{ path, is: before === null ? 'created' : after === null ? 'deleted' : 'modified' } as const]
  })
}

function isSame(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.digest === other.digest &&
    one.mode === other.mode &&
    one.uid === other.uid &&
    one.gid === other.gid &&
    one.attributes === other.attributes
  )
}
