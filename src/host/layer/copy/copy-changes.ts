import { compareCodePoints } from '../../../core/text/compare.ts'
import { joinRel } from '../../root/rel-path.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { hasNewAccess } from '../enter/first-names.ts'
import type { FirstNames } from '../enter/first-names.ts'
import type { LayerChange } from '../layer-change.ts'
import type { CopyRecord } from './copy-record.ts'
import type { OpenedNames } from '../opened-folders.ts'
import { areAlike, haveSameBytes, openUpper, readLink } from '../same-content.ts'

/** A copy of the workspace that commands worked on. */
export interface EndedCopy {
  readonly upper: Root
  readonly lower: Root
  readonly copied: CopyRecord
  readonly opened: OpenedNames
  readonly first?: FirstNames | null
  readonly onStale?: (path: string) => void
}

type Found = Generator<LayerChange | null>

/**
 * Finds what commands changed in a copy: only what is no longer as it was copied. So what somebody else changes in the
 * workspace meanwhile is not taken for a change of theirs.
 */
export function compareCopy(copy: EndedCopy): Found {
  return new CopyComparison(copy).below('', true)
}

class CopyComparison {
  readonly #copy: EndedCopy

  constructor(copy: EndedCopy) {
    this.#copy = copy
  }

  /** `isThere` says whether the workspace has a folder of that path. */
  *below(path: string, isThere: boolean): Found {
    const { upper, copied } = this.#copy
    const shown = upper.list(path).map(({ exactName }) => exactName)
    const names = [...new Set([...shown, ...copied.namesIn(path)])].toSorted(compareCodePoints)
    for (const name of names) yield* this.#at(joinRel(path, name), isThere)
  }

  *#at(path: string, isParentThere: boolean): Found {
    yield null
    const { upper, lower, copied, opened } = this.#copy
    const before = isParentThere ? lower.stat(path) : null
    const found = upper.stat(path)
    if (copied.isHole(path)) {
      // What stood for it went with the folder that holds it, and what is at its old name was not written to it.
      const first = copied.find(path)
      const isMoved = first !== null && first.ino !== found?.ino
      if (isMoved) yield { path, before, after: found && { ...found, source: { layer: 'upper', path } } }
      return
    }
    if (found === null) {
      if (before !== null) yield* this.#removed(path, before)
      return
    }
    const stat = opened.asLeft(path, found)
    const was = copied.find(path)
    const isSameName = was?.ino === stat.ino
    if (stat.kind !== 'dir' && isSameName && was.changedMs === stat.changedMs) return
    const after = { ...stat, source: { layer: 'upper', path } as const }
    const isFolderThere = before?.kind === 'dir'
    if (stat.kind === 'dir') {
      const compared = isSameName ? was : isFolderThere ? before : null
      const isLeft = compared !== null && areAlike(compared, stat)
      if (isFolderThere && (!isLeft || !isSameName)) this.#requireAccess(path, before)
      if (!isLeft) yield { path, before, after }
      yield* this.below(path, isFolderThere)
      return
    }
    if (isFolderThere) {
      this.#requireAccess(path, before)
      yield* this.#removedBelow(path)
    }
    if (before === null || !(yield* this.#isSame(path, before, stat))) yield { path, before, after }
    else if (stat.kind === 'file') yield { path, before, after, isSame: true }
  }

  /** Tells of a folder that the command changed or removed if somebody else changed who may use it. */
  #requireAccess(path: string, before: FileStat): void {
    const { first = null, onStale } = this.#copy
    const was = first?.folderAt(path) ?? null
    if (was !== null && hasNewAccess(was, before)) onStale?.(path)
  }

  *#removed(path: string, before: FileStat): Found {
    if (before.kind === 'dir') {
      this.#requireAccess(path, before)
      yield* this.#removedBelow(path)
    }
    yield { path, before, after: null }
  }

  *#removedBelow(path: string): Found {
    const { lower } = this.#copy
    for (const { exactName } of lower.list(path)) {
      const inner = joinRel(path, exactName)
      const stat = lower.stat(inner)
      yield null
      if (stat !== null) yield* this.#removed(inner, stat)
    }
  }

  *#isSame(path: string, before: FileStat, stat: FileStat): Generator<LayerChange | null, boolean> {
    const { upper, lower, opened } = this.#copy
    if (before.kind !== stat.kind || before.size !== stat.size || !areAlike(before, stat)) return false
    if (stat.kind === 'symlink') return readLink(lower, path) === readLink(upper, path)
    if (stat.kind !== 'file') return false
    return yield* haveSameBytes(
      () => lower.openFile(path),
      () => openUpper(upper, path, opened),
    )
  }
}
