import { foldText } from '../../core/text/fold-text.ts'
import { absoluteOf, folderOf } from '../../host/root/rel-path.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import { isPlain } from '../landing/contents/held.ts'
import type { Located } from '../sandbox/sandbox.ts'
import { foldersAbove } from './assumed-files.ts'
import type { AssumedFiles } from './assumed-files.ts'
import type { Original } from './staged-file.ts'

/** What a call will change when it is committed. */
export interface StagedCall {
  readonly execution: string
  readonly changes: readonly FileChange[]
  readonly contentOf: (digest: Digest) => Uint8Array | null
}

/** The files of calls that are staged one on the other, and that one commit will change. */
export class EarlierEdits implements AssumedFiles {
  readonly #files = new Map<string, Original | null>()
  /** Every folder above them. */
  readonly #folders = new Set<string>()
  /** Their names as a file system compares them that folds them. */
  readonly #folded = new Set<string>()
  #bytes = 0

  get isEmpty(): boolean {
    return this.#files.size === 0
  }

  get bytes(): number {
    return this.#bytes
  }

  find(absolute: string): Original | null | undefined {
    return this.#files.get(absolute)
  }

  /** A file that an earlier call wrote is in the ledger like any other. */
  isRead(): boolean {
    return false
  }

  /**
   * A name that comes or goes can change where other names lead: those below and above it, the same one in another
   * spelling, and, for one that goes, every link to it.
   */
  covers(at: Located): boolean {
    const left = this.#files.get(at.absolute)
    if (left !== undefined) return left !== null
    if (this.#folders.has(at.absolute) || foldersAbove(at).some((folder) => this.#files.has(folder)))
      return false
    return at.kind !== 'missing' || !this.#folded.has(foldText(at.absolute))
  }

  /** Adds what a call has staged; false if later calls could not find it as it will be. */
  add({ execution, changes, contentOf }: StagedCall): boolean {
    if (!changes.every((change) => isPlain(change))) return false
    const left: [FileChange, Original | null][] = []
    for (const change of changes) {
      const { after } = change
      const bytes = after === null ? null : contentOf(after.digest)
      if (after !== null && bytes === null) return false
      const { digest, mode, uid, gid } = after ?? { digest: '', mode: 0, uid: 0, gid: 0 }
      left.push([
        change,
        after === null || bytes === null
          ? null
          : {
              bytes,
              digest,
              mode,
              uid,
              gid,
              hardLinks: 1,
              stamp: null,
              left: { by: execution, state: after },
            },
      ])
    }
    for (const [{ root, path }, file] of left) this.#set(root, path, file)
    return true
  }

  #set(root: string, path: string, file: Original | null): void {
    const absolute = absoluteOf(root, path)
    this.#bytes += (file?.bytes.length ?? 0) - (this.#files.get(absolute)?.bytes.length ?? 0)
    this.#files.set(absolute, file)
    this.#folded.add(foldText(absolute))
    for (let rel = folderOf(path); rel !== ''; rel = folderOf(rel)) {
      this.#folders.add(absoluteOf(root, rel))
      this.#folded.add(foldText(absoluteOf(root, rel)))
    }
  }
}
