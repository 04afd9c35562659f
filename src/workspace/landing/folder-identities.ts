import { ToolFailure } from '../../core/error.ts'
import { identifyFolder } from '../../host/layer/root-identity.ts'
import { isForbidden, isMachineFault } from '../../host/root/io-failure.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'

/** A folder in which a layer changes names, or which it changes itself, and what tells it from another of the same path. */
export interface KnownFolder {
  /** What tells its root from others, by which it is found again: a root may be renamed while an answer is waited for. */
  readonly root?: string
  readonly path: string
  readonly identity: string
}

/** The folder that has to be the same when a change lands; empty for the root, which is compared by itself. */
function holderOf(path: string, wasFolder: boolean): string {
  return wasFolder ? path : folderOf(path)
}

/** Identifies the folders that changes are made in. */
export function identifyFolders(
  root: Root,
  changes: readonly { readonly path: string; readonly wasFolder: boolean }[],
): readonly KnownFolder[] {
  const paths = new Set(changes.map(({ path, wasFolder }) => holderOf(path, wasFolder)))
  const top = identifyIfAllowed(root, '')
  return [...paths].flatMap((path) => {
    const identity = path === '' ? null : identifyIfAllowed(root, path)
    return identity === null ? [] : [{ ...(top === null ? {} : { root: top }), path, identity }]
  })
}

/** Compares the folders of changes with those that were known. */
export class FolderComparison {
  readonly #known: ReadonlyMap<string, readonly KnownFolder[]>
  readonly #compared = new Map<Root, Map<string, boolean>>()
  readonly #roots = new Map<Root, string | null>()

  constructor(known: readonly KnownFolder[]) {
    this.#known = Map.groupBy(known, ({ path }) => path)
  }

  /** Whether another folder, or none, is where a change was to be made. */
  isExchanged(root: Root, path: string, wasFolder: boolean): boolean {
    const folder = holderOf(path, wasFolder)
    const known = this.#knownIn(root, folder)
    if (known.length === 0) return false
    const compared = this.#compared.get(root) ?? new Map<string, boolean>()
    this.#compared.set(root, compared)
    const found = compared.get(folder)
    if (found !== undefined) return found
    const identity = identify(root, folder)
    const isOther = known.every((one) => one.identity !== identity)
    compared.set(folder, isOther)
    return isOther
  }

  /** Landings of earlier versions do not say in which root a folder is. */
  #knownIn(root: Root, folder: string): readonly KnownFolder[] {
    const known = this.#known.get(folder) ?? []
    if (known.length === 0) return known
    const found = this.#roots.get(root)
    const top = found === undefined ? identify(root, '') : found
    this.#roots.set(root, top)
    // Where the root itself is gone, none of its folders is what it was.
    return top === null ? known : known.filter((one) => one.root === undefined || one.root === top)
  }
}

/** Null if there is no such folder; throws if that cannot be seen. */
function identify(root: Root, path: string): string | null {
  try {
    return root.lendFolder(path, identifyFolder) || null
  } catch (thrown) {
    if (thrown instanceof ToolFailure && !isMachineFault(thrown) && !isForbidden(thrown)) return null
    throw thrown
  }
}

/** A command may work in a folder that nobody can list; it is not compared then. */
function identifyIfAllowed(root: Root, path: string): string | null {
  try {
    return identify(root, path)
  } catch (thrown) {
    if (thrown instanceof ToolFailure && isForbidden(thrown)) return null
    throw thrown
  }
}
