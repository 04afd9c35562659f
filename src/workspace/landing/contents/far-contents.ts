import { mountIdOf } from '../../../host/layer/mounts.ts'
import { copyName } from '../../../host/root/move-name.ts'
import type { Spot } from '../../../host/root/move-name.ts'
import type { FileStat, Root } from '../../../host/root/root.ts'
import type { LookOptions, Target } from '../change-status.ts'
import { openFolderOf } from './held.ts'
import type { HeldSpot } from './held.ts'
import { setHeldMode } from './move-content.ts'

/**
 * Contents that cannot be renamed: their layer is on another file system than their root, or they have further names, by
 * which they could be changed while they are set aside. They are copied while everything is as before; what is left then
 * are steps within the root.
 */
export class FarContents {
  readonly #held: Pick<LookOptions['held'], 'makeRoom'>
  /** By root: whether its layers are elsewhere. */
  readonly #farRoots = new Map<Root, boolean>()
  readonly #mounts = new Map<Root, string | null>()
  readonly #putAway = new Set<Target>()
  readonly #staged = new Set<Target>()

  constructor(held: Pick<LookOptions['held'], 'makeRoom'>) {
    this.#held = held
  }

  /** Copies what a change replaces or removes to its place among the held files; false if it can be moved there. */
  keep(target: Target, held: string): boolean {
    const { change, root } = target
    const stat = root.stat(change.path)
    if (stat === null) return false
    const mayBeShared = stat.kind === 'file' && stat.nlink > 1
    if (this.#farRoots.get(root) === false && !mayBeShared) return false
    const there = this.#held.makeRoom(change.root, held)
    const isFar = this.#isFar(root, there.root)
    this.#farRoots.set(root, isFar)
    if (!isFar && !(mayBeShared && isShared(stat, there))) return false
    copyName({ root, rel: change.path }, there, change.path)
    this.#putAway.add(target)
    return true
  }

  /** Copies a held content near its path; false if it can be moved there instead. */
  stage(target: Target, from: HeldSpot): boolean {
    if (!this.#isFar(from.root, target.root)) return false
    openFolderOf(from)
    setHeldMode(target.change, from)
    copyName(from, { root: target.root, rel: target.staged }, target.change.path)
    this.#staged.add(target)
    return true
  }

  /** Removes what was copied away, unless something takes its name; false if it was not copied. */
  putAway(target: Target, keepsName: boolean): boolean {
    if (!this.#putAway.has(target)) return false
    const { change, root } = target
    if (!keepsName && root.stat(change.path) !== null) root.unlink(change.path)
    return true
  }

  /** Whether the content of a change was copied. */
  isStaged(target: Target): boolean {
    return this.#staged.has(target)
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

/** Whether a file has names besides its own and the one that an interrupted landing gave it. */
function isShared({ ino, dev, nlink }: FileStat, there: Spot): boolean {
  const kept = there.root.stat(there.rel)
  return nlink > (kept?.ino === ino && kept.dev === dev ? 2 : 1)
}
