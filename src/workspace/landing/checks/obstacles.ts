import { ToolFailure } from '../../../core/error.ts'
import type { Root } from '../../../host/root/root.ts'
import { folderOf } from '../../../host/root/rel-path.ts'
import { statOrNull } from '../../../host/root/stat-plain.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import { isFolder } from '../contents/held.ts'
import { placeOf } from '../place-of.ts'

/** A name that cannot be changed, and why. */
export interface Obstacle {
  readonly path: string
  readonly why: string
  /** If it is not the system that refuses: the name could not be looked at, or an editor has locked it. */
  readonly is?: 'unseen' | 'locked'
}

/**
 * Finds the first of these changes that could not be put in place, as far as the system says beforehand; yields after
 * each file.
 */
export function* findObstacle(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
): Generator<null, Obstacle | null> {
  const folders = new Map<string, Holder>()
  const mounted = new Map<Root, ReadonlySet<string>>()
  const opened = new Set(
    changes.filter(({ before }) => isFolder(before)).map(({ root, path }) => placeOf(root, path)),
  )
  const coming = new Set(
    changes
      .filter(({ before, after }) => isFolder(after) && !isFolder(before))
      .map(({ root, path }) => placeOf(root, path)),
  )
  const holderOf = (root: Root, top: string, holding: string): Holder => {
    const known = folders.get(placeOf(top, holding))
    if (known !== undefined) return known
    // What is in a folder that is yet to be opened cannot be looked at.
    const shut = foldersTo(holding).find(
      (path) => opened.has(placeOf(top, path)) && statOrNull(root, path) !== null && !root.isWritable(path),
    )
    if (shut !== undefined && shut !== holding) {
      const inShut = { folder: shut, isWritable: false, mayBe: isOurs(root, shut) }
      folders.set(placeOf(top, holding), inShut)
      return inShut
    }
    let above = holding
    while (coming.has(placeOf(top, above))) above = folderOf(above)
    const folder = nearestFolder(root, above)
    const isWritable = root.isWritable(folder)
    const mayBe = isWritable || (opened.has(placeOf(top, folder)) && isOurs(root, folder))
    const holder = { folder, isWritable, mayBe }
    folders.set(placeOf(top, holding), holder)
    return holder
  }
  const mountedIn = (root: Root): ReadonlySet<string> => {
    const known = mounted.get(root) ?? root.findMounted()
    mounted.set(root, known)
    return known
  }
  for (const { root: top, path, before, after } of changes) {
    try {
      const root = rootOf(top)
      const { folder, isWritable, mayBe } = holderOf(root, top, folderOf(path))
      // The mode of a folder is its own, whatever holds it.
      const isOwnMode = isFolder(before) && isFolder(after) && !mayBe && isOurs(root, path)
      if (!mayBe && !isOwnMode)
        return { path: folder === '' ? '.' : folder, why: 'its entries cannot be changed' }
      // In a folder that is yet to be opened, the system would refuse every name.
      const why = before !== null && isWritable ? root.findObstacle(path, mountedIn(root)) : null
      if (why !== null) return { path, why }
    } catch (thrown) {
      // What cannot even be looked at, such as a folder that was swapped for a link, is in the way too.
      if (!(thrown instanceof ToolFailure)) throw thrown
      return { path, why: thrown.error.message.replace(/\.$/, ''), is: 'unseen' }
    }
    yield null
  }
  return null
}

/** The folder in which a name is changed. */
interface Holder {
  readonly folder: string
  readonly isWritable: boolean
  /** Whether names in it can be changed, if need be after its owner has changed its mode. */
  readonly mayBe: boolean
}

/** A folder and those above it, outermost first. */
function foldersTo(folder: string): readonly string[] {
  return folder === '' ? [] : [...foldersTo(folderOf(folder)), folder]
}

function isOurs(root: Root, folder: string): boolean {
  return root.stat(folder)?.uid === process.geteuid?.()
}

/** A folder, or the nearest one above it that exists. */
export function nearestFolder(root: Root, wanted: string): string {
  let folder = wanted
  while (folder !== '' && root.stat(folder) === null) folder = folderOf(folder)
  return folder
}
