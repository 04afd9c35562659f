import type { Root } from '../../host/root/root.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { AttributeBook } from './attribute-book.ts'
import { placeOf } from './pending-commits.ts'

/** Changes, and the attributes they name. */
export interface KeptAttributes {
  readonly changes: readonly FileChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
}

/** Lets files that are replaced keep the attributes they have now; one that comes back has those it went with. */
export function keepAttributes(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
  book: AttributeBook,
): KeptAttributes {
  const replaced = changes.filter(({ before, after }) => before !== null && after !== null)
  const { digests, payloads } = book.look(replaced.map(({ root, path }) => ({ root: rootOf(root), path })))
  const kept = changes.map((change): FileChange => {
    const { before, after, root, path } = change
    if (before === null || after === null) return change
    const { digest, mode, uid, gid } = after
    const attributes = digests.get(placeOf(root, path))
    return {
      ...change,
      after: { digest, mode, uid, gid, ...(attributes === undefined ? {} : { attributes }) },
    }
  })
  return { changes: kept, payloads }
}
