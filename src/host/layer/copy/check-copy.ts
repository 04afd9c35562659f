import { ToolFailure } from '../../../core/error.ts'
import { copyName } from '../../root/move-name.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { statOrNull } from '../../root/stat-plain.ts'
import { OpenedNames } from '../opened-folders.ts'
import { removeTree } from '../remove-tree.ts'
import { haveSameBytes, openUpper, readLink } from '../same-content.ts'

/** A copy that was just made, the root that it was made of, and the names that it may have. */
export interface MadeCopy {
  readonly root: Root
  readonly upper: Root
  readonly names: ReadonlySet<string>
}

/**
 * Makes sure that a copy holds nothing but what the root holds, reached from the open root: the program that copies goes
 * by names, so a folder that is exchanged for a link meanwhile leads it elsewhere. A file that differs is copied once more;
 * whatever else is not as in the root is removed. Yields now and then, so that the caller can pause.
 */
export function* keepOwn({ root, upper, names }: MadeCopy): Generator<null, void> {
  const opened = new OpenedNames(upper)
  const found: (readonly [path: string, stat: FileStat])[] = []
  const foreign: string[] = []
  upper.walk('', (entry) => {
    const { exactPath: path, kind } = entry
    const stat = entry.stat()
    const now = statOrNull(root, path)
    const isOwn = names.has(path) && !('fault' in stat) && now?.kind === kind
    if (!isOwn) foreign.push(path)
    else if (kind !== 'dir') found.push([path, now])
    return isOwn ? 'enter' : 'pass'
  })
  for (const path of foreign) yield* removeTree(upper, path)
  for (const [path, now] of found) {
    yield null
    if (yield* isSame({ root, upper, names }, path, now, opened)) continue
    yield* removeTree(upper, path)
    // What is gone or cannot be read by now is looked at by itself.
    tolerate(() => copyName({ root, rel: path }, { root: upper, rel: path }))
  }
  opened.restore()
}

function* isSame(
  { root, upper }: MadeCopy,
  path: string,
  now: FileStat,
  opened: OpenedNames,
): Generator<null, boolean> {
  try {
    if (now.kind === 'symlink') return readLink(root, path) === readLink(upper, path)
    return yield* haveSameBytes(
      () => root.openFile(path),
      () => openUpper(upper, path, opened),
    )
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return false
    throw thrown
  }
}

function tolerate(act: () => void): void {
  try {
    act()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
