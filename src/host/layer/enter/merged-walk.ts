import type { EntryKind } from '../../../core/powers.ts'
import { failure, ToolFailure } from '../../../core/error.ts'
import { joinRel } from '../../root/rel-path.ts'
import type { FolderEntry, Root } from '../../root/root.ts'
import { markPrefix, readAttributesIn } from '../folder-marks.ts'
import { exactName } from '../../root/exact-name.ts'

/** A name that shows on a layer. */
export interface MergedName {
  readonly path: string
  /** `unknown` for a folder that cannot be listed, after it was visited as a folder. */
  readonly kind: EntryKind | 'unknown'
  /** Where what shows is in the workspace; null if all of it was written on the layer. */
  readonly lower: string | null
}

/** The workspace, and what was written on a layer over it. */
interface Layers {
  readonly lower: Root
  readonly upper: Root
}

interface Folder {
  readonly path: string
  readonly upper: string | null
  readonly lower: string | null
}

/** Visits everything that shows on a layer, a folder before its entries. */
export function walkMerged({ lower, upper }: Layers, visit: (name: MergedName) => 'enter' | 'pass'): void {
  const marks = readMarks(upper, foldersIn(upper))
  const waiting: Folder[] = [{ path: '', upper: '', lower: '' }]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const { path, upper: above, lower: below } = folder
    const written = above === null ? [] : upper.list(above)
    const there = below === null ? [] : listOrNull(lower, below)
    if (there === null) {
      visit({ path, kind: 'unknown', lower: below })
      continue
    }
    const hidden = new Set(written.map((entry) => entry.exactName))
    for (const { exactName: name, kind } of there.filter((entry) => !hidden.has(entry.exactName))) {
      const inner = joinRel(below ?? '', name)
      const shown = joinRel(path, name)
      // Where folders of both are merged, such a device hides its own name, in whichever of them it is.
      if (above !== null && kind === 'other' && lower.stat(inner)?.isWhiteout === true) continue
      if (visit({ path: shown, kind, lower: inner }) === 'enter' && kind === 'dir')
        waiting.push({ path: shown, upper: null, lower: inner })
    }
    for (const { exactName: name, kind } of written) {
      const own = joinRel(above ?? '', name)
      const shown = joinRel(path, name)
      // A device that the command cannot have made: the name is gone.
      if (kind === 'other' && upper.stat(own)?.isWhiteout === true) continue
      const inner = kind === 'dir' ? lowerOf(marks.get(own), below, name, lower) : null
      if (visit({ path: shown, kind, lower: inner }) === 'enter' && kind === 'dir')
        waiting.push({ path: shown, upper: own, lower: inner })
    }
  }
}

/** What overlayfs notes about a folder. */
interface Mark {
  readonly isOpaque: boolean
  readonly redirect: string | null
}

function readMarks(upper: Root, folders: readonly string[]): ReadonlyMap<string, Mark> {
  if (folders.length === 0) return new Map()
  const found = readAttributesIn(upper, folders)
  if (found === null)
    throw failure('execution_failed', 'Cannot read how the layer of a command hides folders.', {}, [
      'Check that GNU tar is installed, and that no path of the command is too long for it.',
    ])
  return new Map(
    folders.map((folder, at) => {
      const valueOf = (name: string): string | null => {
        const value = found[at]?.get(markPrefix() + name)
        return value === undefined ? null : Buffer.from(value).toString('latin1')
      }
      const redirect = valueOf('redirect')
      return [
        folder,
        { isOpaque: valueOf('opaque') === 'y', redirect: redirect === null ? null : exactName(redirect) },
      ]
    }),
  )
}

/** The folder of the workspace that shows through one of the layer. */
function lowerOf(mark: Mark | undefined, below: string | null, name: string, lower: Root): string | null {
  if (mark === undefined || mark.isOpaque) return null
  const { redirect } = mark
  const path =
    redirect?.startsWith('/') === true
      ? redirect.slice(1)
      : below === null
        ? null
        : joinRel(below, redirect ?? name)
  return path !== null && lower.stat(path)?.kind === 'dir' ? path : null
}

function foldersIn(upper: Root): readonly string[] {
  const folders: string[] = []
  upper.walk('', ({ kind, exactPath }) => {
    if (kind === 'unknown')
      throw failure('execution_failed', `Cannot read ${exactPath} in the layer of the command.`)
    if (kind === 'dir') folders.push(exactPath)
    return 'enter'
  })
  return folders
}

function listOrNull(root: Root, path: string): readonly FolderEntry[] | null {
  try {
    return root.list(path)
  } catch (error) {
    if (error instanceof ToolFailure) return null
    throw error
  }
}
