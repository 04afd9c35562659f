import { mountIdOf } from '../../host/layer/mounts.ts'
import { copyName } from '../../host/root/move-name.ts'
import type { Spot } from '../../host/root/move-name.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import type { FileState } from '../../journal/entries/entry.ts'
import type { LookOptions, Target } from './change-status.ts'
import { openFolderOf } from './held.ts'

/**
 * Contents whose layer is on another file system than their root, so that they cannot be renamed. They are copied while
 * everything is as before; what is left then are steps within the root.
 */
export class FarContents {
  readonly #held: LookOptions['held']
  readonly #mounts = new Map<Root, string | null>()
  readonly #putAway = new Set<Target>()
  readonly #staged = new Set<Target>()

  constructor({ held }: LookOptions) {
    this.#held = held
  }

  /** Copies what a change replaces or removes to its place among the held files. */
  keep(target: Target, before: FileState): void {
    const { change, root } = target
    if (before.held === undefined || root.stat(change.path) === null) return
    const there = this.#held.makeRoom(change.root, before.held)
    if (!this.#isFar(root, there.root)) return
    copyName({ root, rel: change.path }, there)
    this.#putAway.add(target)
  }

  /** Copies a held content near its path; false if it can be moved there instead. */
  stage(target: Target, from: Spot): boolean {
    if (!this.#isFar(from.root, target.root)) return false
    openFolderOf(from)
    copyName(from, { root: target.root, rel: target.staged })
    this.#staged.add(target)
    return true
  }

  /** Removes what was copied away, unless something takes its name; undefined if it was not copied. */
  putAway(target: Target, keepsName: boolean): FileStat | null | undefined {
    if (!this.#putAway.has(target)) return undefined
    const { change, root } = target
    const now = root.stat(change.path)
    if (now !== null && !keepsName) root.unlink(change.path)
    return now
  }

  /** Gives a copied content its name; false if it was not copied. */
  place(target: Target, from: Spot): boolean {
    if (!this.#staged.has(target)) return false
    target.root.placeFile(target.staged, target.change.path)
    from.root.unlink(from.rel)
    return true
  }

  #isFar(one: Root, other: Root): boolean {
    return this.#mountOf(one) !== this.#mountOf(other)
  }

  #mountOf(root: Root): string | null {
    const known = this.#mounts.get(root)
    if (known !== undefined) return known
    const mount = root.lendFolder('', mountIdOf)
    this.#mounts.set(root, mount)
    return mount
  }
}
