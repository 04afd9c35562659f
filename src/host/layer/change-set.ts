import { Buffer } from 'node:buffer'
import { readlinkSync } from 'node:fs'
import { compareCodePoints } from '../../core/text/compare.ts'
import { failure } from '../../core/error.ts'
import { exactName, systemName } from '../root/exact-name.ts'
import { folderOf, joinRel } from '../root/rel-path.ts'
import type { FileStat, Root } from '../root/root.ts'
import { readFolderMarks } from './folder-marks.ts'
import type { FolderMark } from './folder-marks.ts'

/** Where the bytes of something that the command left lie: in its layer, or still in the workspace under another name. */
export interface LayerSource {
  readonly layer: 'upper' | 'lower'
  readonly path: string
}

/** One name that a command on a layer created, changed or removed. */
export interface LayerChange {
  readonly path: string
  /** What is in the workspace now; null if nothing. */
  readonly before: FileStat | null
  /** What the command left; null if it removed the name. */
  readonly after: (FileStat & { readonly source: LayerSource }) | null
}

/** A layer whose command has ended. */
export interface EndedLayer {
  readonly upper: Root
  readonly lower: Root
}

/** A name as the command saw it at its end. */
type Seen = SeenLeaf | SeenFolder | null

interface SeenLeaf {
  readonly is: 'leaf'
  readonly source: LayerSource
  readonly stat: FileStat
}

/** A folder shows names of the upper layer, and those below that none of them hides. */
interface SeenFolder {
  readonly is: 'folder'
  readonly upper: string | null
  readonly lower: string | null
  readonly source: LayerSource
  readonly stat: FileStat
}

/** How much of two files is compared at a time. */
const PIECE_BYTES = 1024 ** 2

/**
 * Compares what a command saw at its end with what is in the workspace, and yields what differs: a folder before what is
 * in it, in the order of names; a removed folder after what was in it. Only what the command touched is looked at. A time
 * stamp alone is not a difference.
 */
export function* readChangeSet({ upper, lower }: EndedLayer): Generator<LayerChange> {
  const stat = upper.stat('')
  if (stat === null) throw failure('execution_failed', 'The layer of the command is gone.')
  const top: SeenFolder = { is: 'folder', upper: '', lower: '', source: { layer: 'upper', path: '' }, stat }
  yield* new Comparison(upper, lower).below('', top, true)
}

class Comparison {
  readonly #upper: Root
  readonly #lower: Root
  readonly #marks: ReadonlyMap<string, FolderMark>

  constructor(upper: Root, lower: Root) {
    this.#upper = upper
    this.#lower = lower
    this.#marks = readFolderMarks(upper, foldersOf(upper))
  }

  /** The differences below a folder; `isThere` says whether the workspace has a folder of that path. */
  *below(path: string, folder: SeenFolder, isThere: boolean): Generator<LayerChange> {
    // What shows through at its own place is the same on both sides.
    const isAtHome = isThere && folder.lower === path
    const seen = this.#childrenOf(folder, !isAtHome)
    const hidden = isThere && !isAtHome ? namesIn(this.#lower, path) : []
    const names = [...new Set([...seen.keys(), ...hidden])].toSorted(compareCodePoints)
    for (const name of names) yield* this.#at(joinRel(path, name), seen.get(name) ?? null, isThere)
  }

  *#at(path: string, seen: Seen, isParentThere: boolean): Generator<LayerChange> {
    const before = isParentThere ? this.#lower.stat(path) : null
    const isFolderThere = before?.kind === 'dir'
    if (isFolderThere && seen?.is !== 'folder') yield* this.#removedBelow(path)
    if (seen === null) {
      if (before !== null) yield { path, before, after: null }
      return
    }
    const after = { ...seen.stat, source: seen.source }
    if (seen.is === 'leaf') {
      if (before === null || !this.#isSame(path, before, seen)) yield { path, before, after }
      return
    }
    if (!isFolderThere || before.mode !== seen.stat.mode) yield { path, before, after }
    yield* this.below(path, seen, isFolderThere)
  }

  *#removedBelow(path: string): Generator<LayerChange> {
    for (const name of namesIn(this.#lower, path)) yield* this.#at(joinRel(path, name), null, true)
  }

  /** The names that the command saw in a folder: all of them, or those of the upper layer. */
  #childrenOf(folder: SeenFolder, isComplete: boolean): ReadonlyMap<string, Seen> {
    const children = new Map<string, Seen>()
    if (isComplete && folder.lower !== null) {
      for (const name of namesIn(this.#lower, folder.lower)) {
        const seen = seenIn('lower', this.#lower, joinRel(folder.lower, name))
        if (seen !== null) children.set(name, seen)
      }
    }
    if (folder.upper === null) return children
    for (const name of namesIn(this.#upper, folder.upper)) {
      const seen = seenIn('upper', this.#upper, joinRel(folder.upper, name))
      children.set(name, seen?.is === 'folder' ? { ...seen, lower: this.#lowerOf(folder, name, seen) } : seen)
    }
    return children
  }

  /** The folder of the workspace that shows through one of the upper layer. */
  #lowerOf(parent: SeenFolder, name: string, { source }: SeenFolder): string | null {
    const mark = this.#marks.get(source.path)
    if (mark === undefined || mark.isOpaque) return null
    const { redirect } = mark
    if (redirect?.startsWith('/') === true) return this.#folderOrNull(redirect.slice(1))
    return parent.lower === null ? null : this.#folderOrNull(joinRel(parent.lower, redirect ?? name))
  }

  #folderOrNull(path: string): string | null {
    return this.#lower.stat(path)?.kind === 'dir' ? path : null
  }

  #isSame(path: string, before: FileStat, { stat, source }: SeenLeaf): boolean {
    if (before.kind !== stat.kind || before.mode !== stat.mode || before.size !== stat.size) return false
    if (before.uid !== stat.uid || before.gid !== stat.gid) return false
    const layer = source.layer === 'upper' ? this.#upper : this.#lower
    if (stat.kind === 'symlink') return readLink(this.#lower, path) === readLink(layer, source.path)
    return stat.kind === 'file' && haveSameBytes([this.#lower, path], [layer, source.path])
  }
}

/** What a name of one layer shows; null for a mark that hides the name below. */
function seenIn(layer: 'upper' | 'lower', root: Root, path: string): Seen {
  const stat = root.stat(path)
  const source: LayerSource = { layer, path }
  if (stat === null) return null
  if (stat.kind === 'dir') {
    const [upper, lower] = layer === 'upper' ? [path, null] : [null, path]
    return { is: 'folder', upper, lower, source, stat }
  }
  // The sandbox lets no command make a device, so one in the upper layer was made by overlayfs.
  return layer === 'upper' && stat.isDevice ? null : { is: 'leaf', source, stat }
}

function foldersOf(upper: Root): readonly string[] {
  const folders: string[] = []
  upper.walk('', ({ kind, exactPath }) => {
    if (kind === 'unknown')
      throw failure('execution_failed', `Cannot read ${exactPath} in the layer of the command.`)
    if (kind === 'dir') folders.push(exactPath)
    return 'enter'
  })
  return folders
}

function namesIn(root: Root, folder: string): readonly string[] {
  return root.list(folder).map(({ exactName: name }) => name)
}

/** Where a link points, byte for byte. */
export function readLink(root: Root, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return root.lendFolder(folderOf(path), (folder) =>
    exactName(readlinkSync(systemName(`${folder}/${name}`), 'latin1')),
  )
}

function haveSameBytes(...files: readonly [readonly [Root, string], readonly [Root, string]]): boolean {
  const [one, other] = files.map(([root, path]) => root.openFile(path))
  if (one === undefined || other === undefined) return false
  try {
    const [first, second] = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)]
    for (let at = 0; ;) {
      const count = one.read(first, 0, PIECE_BYTES, at)
      if (other.read(second, 0, PIECE_BYTES, at) !== count) return false
      if (Buffer.compare(first.subarray(0, count), second.subarray(0, count)) !== 0) return false
      if (count === 0) return true
      at += count
    }
  } finally {
    one.close()
    other.close()
  }
}
