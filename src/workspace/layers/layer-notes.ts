import { ownerAfter } from '../../host/fs/owner.ts'
import { resolveOrNull } from '../../host/root/io-failure.ts'
import { collapse } from '../../host/root/resolve-links.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { absoluteOf, folderOf, relativeTo, showPath } from '../../host/root/rel-path.ts'
import type { HashedChange } from './file-changes.ts'
import { targetOf } from './layer-files.ts'

const MOST_NAMED = 10

/** What is worth knowing about the changes of one root. */
export interface Noted {
  readonly changes: readonly HashedChange[]
  /** Files that lost bits of their mode. */
  readonly dropped: readonly string[]
  /** Files that had a name in common with another. */
  readonly separated: readonly string[]
  /** Files that keep a mark of the overlay. */
  readonly marked: readonly string[]
  readonly roots: readonly string[]
  readonly displayOf: (path: string) => string
}

/** Notes about what lands in another way than the command may have meant. */
export function collectNotes({
  changes,
  dropped,
  separated,
  marked,
  roots,
  displayOf,
}: Noted): readonly string[] {
  const list = (paths: readonly string[]): string => {
    const shown = paths.slice(0, MOST_NAMED).map((path) => showPath(displayOf(path)))
    return paths.length > MOST_NAMED
      ? `${shown.join(', ')} and ${paths.length - MOST_NAMED} more`
      : shown.join(', ')
  }
  const note = (paths: readonly string[], text: (names: string) => string): readonly string[] =>
    paths.length === 0 ? [] : [text(list(paths))]
  const outward = changes.filter((change) => leadsOut(change, roots)).map(({ path }) => path)
  const foreign = changes.filter(losesOwner).map(({ path }) => path)
  const shared = changes.filter(({ before }) => before?.kind === 'file' && before.nlink > 1)
  return [
    ...note(outward, (names) => `links that lead out of the workspace: ${names}`),
    ...note(dropped, (names) => `landed without setuid and setgid bits: ${names}`),
    ...note(separated, (names) => `hard links, which land as separate files: ${names}`),
    ...note(
      shared.map(({ path }) => path),
      (names) => `had several names, the others keep the old content: ${names}`,
    ),
    ...note(foreign, (names) => `belongs to you now, because only root can preserve the owner: ${names}`),
    ...note(marked, (names) => `keeps an extended attribute of the overlay: ${names}`),
  ]
}

function losesOwner({ before, after }: HashedChange): boolean {
  return (
    before !== null && after !== null && before.uid !== after.uid && ownerAfter(before).uid !== before.uid
  )
}

function leadsOut({ part, path, after }: HashedChange, roots: readonly string[]): boolean {
  if (after?.kind !== 'symlink') return false
  const target = readableName(targetOf(part, after.source))
  const from = absoluteOf(part.lower.path, folderOf(path))
  const meant = collapse(target.startsWith('/') ? target : `${from}/${target}`)
  const isInside = (absolute: string): boolean => roots.some((root) => relativeTo(root, absolute) !== null)
  if (!isInside(meant)) return true
  const resolved = resolveOrNull(part.lower, meant)
  return resolved?.isInside === false && !isInside(resolved.target)
}
