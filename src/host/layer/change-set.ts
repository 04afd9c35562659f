import { compareCodePoints } from '../../core/text/compare.ts'
import { failure } from '../../core/error.ts'
import { joinRel, showPath } from '../root/rel-path.ts'
import { identityOf } from '../root/file-stat.ts'
import type { FileStat, OpenFile, Root } from '../root/root.ts'
import { changeMode, OpenedNames } from './opened-folders.ts'
import { readFolderMarks } from './folder-marks.ts'
import type { FolderMark, MarkedFolder } from './folder-marks.ts'
import type { Attributes } from '../fs/pax.ts'
import type { LayerChange, LayerSource } from './layer-change.ts'
import { compareCopy } from './copy/copy-changes.ts'
import { hasNewAccess } from './enter/first-names.ts'
import type { FirstNames } from './enter/first-names.ts'
import type { CopyRecord } from './copy/copy-record.ts'
import { areAlike, haveSameBytes, openUpper, readLink } from './same-content.ts'

/** A layer whose command has ended. */
export interface EndedLayer {
  readonly upper: Root
  readonly lower: Root
  /** If the upper layer is a copy of the workspace: what it held at first. */
  readonly copied?: CopyRecord | null
  /** What was opened in the upper layer in order to read it; the caller restores it. */
  readonly opened?: OpenedNames
  /** What the workspace showed before the command; null or left out if that is not known. */
  readonly first?: FirstNames | null
  /**
   * Told of what the command changed and somebody else as well: a name that the workspace does not have any more, or a
   * folder that has another mode, owner or access list.
   */
  readonly onStale?: (path: string) => void
  /** Lets other work go on if the last time was a while ago; may throw to stop. */
  readonly pause?: () => Promise<void> | undefined
}

/** What was found while the differences were looked for. */
export interface ChangeSet {
  /** The differences, with null wherever the caller may let other work go on. */
  readonly changes: Generator<LayerChange | null>
  /** Whether the files of a folder of the upper layer may carry marks that the overlay itself set. */
  readonly mayBeMarked: (folder: string) => boolean
  /** The extended attributes of a folder of the upper layer, without marks; null if they were not read. */
  readonly attributesOf: (folder: string) => Attributes | null
}

const OWNER_ALL = 0o700

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

/**
 * Compares what a command saw at its end with what is in the workspace, and yields what differs: a folder before what is
 * in it, in the order of names; a removed folder after what was in it. Only what the command touched is looked at. A time
 * stamp alone is not a difference.
 */
export async function readChangeSet(layer: EndedLayer): Promise<ChangeSet> {
  const { upper, copied = null, pause } = layer
  const stat = upper.stat('')
  if (stat === null) throw failure('execution_failed', 'The layer of the command is gone.')
  // The mode that a command gives to the root itself does not land, and must not hide what does.
  if ((stat.mode & OWNER_ALL) !== OWNER_ALL) changeMode(upper, '', stat.mode | OWNER_ALL)
  const opened = layer.opened ?? new OpenedNames(upper)
  const folders = await foldersOf(layer, opened)
  if (copied !== null) {
    const changes = compareCopy({ ...layer, opened, copied })
    return { changes, mayBeMarked: () => false, attributesOf: () => null }
  }
  // Reading marks takes another process, and where nothing was left there is nothing to tell about.
  const isBare = folders.length === 1 && upper.list('').length === 0
  const marks = isBare ? new Map<string, MarkedFolder>() : await readFolderMarks(upper, folders, pause)
  const top: SeenFolder = { is: 'folder', upper: '', lower: '', source: { layer: 'upper', path: '' }, stat }
  return {
    changes: new Comparison(layer, opened, marks).below('', top, true),
    mayBeMarked: (folder) => marks.get(folder)?.isImpure === true,
    attributesOf: (folder) => marks.get(folder)?.attributes ?? null,
  }
}

/** Yields null between differences, so that the caller can pause however few there are. */
type Found = Generator<LayerChange | null>

class Comparison {
  readonly #upper: Root
  readonly #lower: Root
  readonly #opened: OpenedNames
  readonly #first: FirstNames | null
  readonly #onStale: EndedLayer['onStale']
  readonly #marks: ReadonlyMap<string, FolderMark>

  constructor(
    { upper, lower, first = null, onStale }: EndedLayer,
    opened: OpenedNames,
    marks: ReadonlyMap<string, FolderMark>,
  ) {
    this.#upper = upper
    this.#first = first
    this.#onStale = onStale
    this.#lower = lower
    this.#opened = opened
    this.#marks = marks
  }

  /** The differences below a folder; `isThere` says whether the workspace has a folder of that path. */
  *below(path: string, folder: SeenFolder, isThere: boolean): Found {
    // What shows through at its own place is the same on both sides.
    const isAtHome = isThere && folder.lower === path
    const seen = this.#childrenOf(folder, !isAtHome)
    const hidden = isThere && !isAtHome ? namesIn(this.#lower, path) : []
    const names = [...new Set([...seen.keys(), ...hidden])].toSorted(compareCodePoints)
    for (const name of names) yield* this.#at(joinRel(path, name), seen.get(name) ?? null, isThere)
  }

  *#at(path: string, seen: Seen, isParentThere: boolean): Found {
    yield null
    const before = isParentThere ? this.#lower.stat(path) : null
    if (before === null && this.#first?.has(path) === true) this.#onStale?.(path)
    const isFolderThere = before?.kind === 'dir'
    const access = isFolderThere ? this.#judgeAccess(path, before, seen) : 'changed'
    if (access === 'changed by both') this.#onStale?.(path)
    if (isFolderThere && seen?.is !== 'folder') yield* this.#removedBelow(path)
    if (seen === null) {
      if (before !== null) yield { path, before, after: null }
      return
    }
    const after = { ...seen.stat, source: seen.source }
    if (seen.is === 'leaf') {
      if (before === null || !(yield* this.#isSame(path, before, seen))) yield { path, before, after }
      else if (seen.source.layer === 'upper' && seen.stat.kind === 'file')
        yield { path, before, after, isSame: true }
      return
    }
    if (!isFolderThere || (access !== 'left' && !areAlike(before, seen.stat))) yield { path, before, after }
    yield* this.below(path, seen, isFolderThere)
  }

  /**
   * Who changed the mode or owner of a folder of the workspace. The layer takes them over as soon as the command makes a
   * name in the folder, so that what somebody else changes later looks like a change of the command.
   */
  #judgeAccess(path: string, before: FileStat, seen: Seen): 'left' | 'changed' | 'changed by both' {
    const first = this.#first?.folderAt(path) ?? null
    if (first === null || identityOf(first) !== identityOf(before)) return 'changed'
    const stays = seen?.is === 'folder' && seen.lower === path
    if (!stays) return hasNewAccess(first, before) ? 'changed by both' : 'changed'
    if (areAlike(first, seen.stat)) return 'left'
    return areAlike(first, before) || areAlike(before, seen.stat) ? 'changed' : 'changed by both'
  }

  *#removedBelow(path: string): Found {
    for (const name of namesIn(this.#lower, path)) yield* this.#at(joinRel(path, name), null, true)
  }

  /** The names that the command saw in a folder: all of them, or those of the upper layer. */
  #childrenOf(folder: SeenFolder, isComplete: boolean): ReadonlyMap<string, Seen> {
    const children = new Map<string, Seen>()
    if (isComplete && folder.lower !== null) {
      for (const name of namesIn(this.#lower, folder.lower)) {
        const seen = this.#seenIn('lower', joinRel(folder.lower, name))
        if (seen !== null) children.set(name, seen)
      }
    }
    if (folder.upper === null) return children
    for (const name of namesIn(this.#upper, folder.upper)) {
      const seen = this.#seenIn('upper', joinRel(folder.upper, name))
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

  /** What a name of one layer shows; null for a mark that hides the name below. */
  #seenIn(layer: 'upper' | 'lower', path: string): Seen {
    const found = (layer === 'upper' ? this.#upper : this.#lower).stat(path)
    const source: LayerSource = { layer, path }
    if (found === null) return null
    const stat = layer === 'upper' ? this.#opened.asLeft(path, found) : found
    if (stat.kind === 'dir') {
      const [upper, lower] = layer === 'upper' ? [path, null] : [null, path]
      return { is: 'folder', upper, lower, source, stat }
    }
    return layer === 'upper' && stat.isWhiteout ? null : { is: 'leaf', source, stat }
  }

  *#isSame(
    path: string,
    before: FileStat,
    { stat, source }: SeenLeaf,
  ): Generator<LayerChange | null, boolean> {
    if (before.kind !== stat.kind || before.size !== stat.size || !areAlike(before, stat)) return false
    const layer = source.layer === 'upper' ? this.#upper : this.#lower
    if (stat.kind === 'symlink') return readLink(this.#lower, path) === readLink(layer, source.path)
    if (stat.kind !== 'file') return false
    const open = (): OpenFile =>
      source.layer === 'upper' ? openUpper(layer, source.path, this.#opened) : layer.openFile(source.path)
    return yield* haveSameBytes(() => this.#lower.openFile(path), open)
  }
}

/** Deeper than anything that people make; every step in a folder takes going down all the way to it. */
const MOST_DEPTH = 256
const SHOWN_CHARS = 60

function requireShallow(path: string): void {
  if (path.length < MOST_DEPTH * 2) return
  const depth = path.split('/').length
  if (depth <= MOST_DEPTH) return
  throw failure(
    'limit_exceeded',
    `Nothing was landed: the command made more than ${MOST_DEPTH} folders inside each other, in ${showPath(path.slice(0, SHOWN_CHARS))}…`,
    { limit: MOST_DEPTH },
    ['Run the command such that it makes fewer folders inside each other.'],
  )
}

/** All folders of an upper layer. Its owner may read and change them from here on: contents are also replaced in them. */
async function foldersOf({ upper, pause }: EndedLayer, opened: OpenedNames): Promise<readonly string[]> {
  const folders = ['']
  const walk = upper.startWalk('', 'name')
  try {
    for (let entry = walk.next(); entry !== null; entry = walk.next()) {
      if (entry.kind !== 'dir') continue
      const { exactPath } = entry
      requireShallow(exactPath)
      folders.push(exactPath)
      const stat = entry.stat()
      if (!('fault' in stat) && (stat.mode & OWNER_ALL) !== OWNER_ALL) opened.open(exactPath, stat)
      if (walk.enter() !== null)
        throw failure('execution_failed', `Cannot read ${showPath(exactPath)} in the layer of the command.`)
      const waiting = pause?.()
      if (waiting !== undefined) await waiting
    }
  } finally {
    walk.close()
  }
  return folders
}

function namesIn(root: Root, folder: string): readonly string[] {
  return root.list(folder).map(({ exactName: name }) => name)
}
