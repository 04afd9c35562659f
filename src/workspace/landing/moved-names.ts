import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import { isFolder, isLeaf } from './contents/held.ts'
import { placeOf } from './place-of.ts'

/**
 * Finds among changes the names whose file or folder goes on under another name, by their places. Their recorded modes
 * come back there, so a mode that somebody gave them since would be lost.
 */
export function movedFrom(changes: readonly FileChange[]): (change: FileChange) => boolean {
  const coming = changes.filter(({ before, after }) => before === null && after !== null)
  const going = changes.filter(({ after }) => after === null)
  if (coming.length === 0 || going.length === 0) return () => false
  const contents = new Set(coming.flatMap(({ root, after }) => marksOf(root, after)))
  const hasComingFolder = coming.some(({ after }) => isFolder(after))
  const moved = new Set<string>()
  const full = new Set<string>()
  for (const { root, path, before } of going) {
    const isMoved = marksOf(root, before).some((mark) => contents.has(mark))
    if (isMoved) moved.add(placeOf(root, path))
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = placeOf(root, path.slice(0, at))
      full.add(folder)
      if (isMoved) moved.add(folder)
    }
  }
  return ({ root, path, before, after }) => {
    if (after !== null) return false
    const place = placeOf(root, path)
    // Nothing tells where an empty folder went.
    return moved.has(place) || (isFolder(before) && hasComingFolder && !full.has(place))
  }
}

/** What a content can be known by. */
function marksOf(root: string, state: FileState | null): readonly string[] {
  if (!isLeaf(state) || state.kind === 'link') return []
  return [state.digest, ...(state.held === undefined ? [] : [placeOf(root, state.held)])]
}
