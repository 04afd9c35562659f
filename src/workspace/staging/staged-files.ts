import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { fileStampOf, identityOf } from '../../host/root/file-stat.ts'
import { digest } from '../../host/system/hash.ts'
import { lockedIn } from '../buffers/locked.ts'
import type { OpenBuffers } from '../buffers/open-buffers.ts'
import type { FindUnsaved } from '../buffers/unsaved.ts'
import type { Located } from '../sandbox/sandbox.ts'
import { foldersAbove } from './assumed-files.ts'
import type { AssumedFiles } from './assumed-files.ts'
import { isChange } from './staged-file.ts'
import type { Original, StagedFile, StagedFolder } from './staged-file.ts'

/** The files that one call wants changed, and what each held when the call first read it. */
export class StagedFiles {
  readonly #maxFileBytes: number
  readonly #assumed: AssumedFiles
  readonly #buffers: StagingBuffers | null
  readonly #files = new Map<string, StagedFile>()
  readonly #bases = new Map<string, Original | null>()
  /** Every folder above a file that was staged. */
  readonly #folders = new Set<string>()
  readonly #stagedFolders = new Map<string, StagedFolder>()

  constructor(maxFileBytes: number, assumed: AssumedFiles, buffers: StagingBuffers | null) {
    this.#maxFileBytes = maxFileBytes
    this.#assumed = assumed
    this.#buffers = buffers
  }

  get(at: Located): StagedFile | undefined {
    return this.#files.get(at.absolute)
  }

  /** What a file held before this call; null if there was none. */
  baseOf(at: Located): Original | null {
    const known = this.#bases.get(at.absolute)
    if (known !== undefined) return known
    const base = this.#readBase(at)
    this.#bases.set(at.absolute, base)
    return base
  }

  /** What a file holds with the changes staged so far. */
  contentOf(at: Located): Uint8Array | null {
    const staged = this.get(at)
    return staged === undefined ? (this.baseOf(at)?.bytes ?? null) : staged.after
  }

  /** Stages a new content, or null to remove the file; a new file takes mode and owner from `likeAt`. */
  stage(at: Located, after: Uint8Array | null, keepsBackup: boolean, likeAt: Located | null = null): void {
    const base = this.baseOf(at)
    if (base !== null && (base.mode & 0o222) === 0) {
      throw failure('execution_failed', `${at.display} is read-only.`, { path: at.display }, [
        'Make it writable first if it is meant to change.',
      ])
    }
    if (base !== null) this.#requireUnlocked(at)
    if (base?.isUnsaved === true) this.#requireEditable(at, after)
    if (after !== null && after.length > this.#maxFileBytes) {
      throw failure(
        'limit_exceeded',
        `${at.display} would have ${after.length} bytes; tools.edit.max_file_bytes allows ${this.#maxFileBytes}.`,
        { path: at.display, limit: this.#maxFileBytes },
        ['Split it into several files.'],
      )
    }
    if (after !== null) this.#requireNoClash(at)
    const like = likeAt === null ? null : this.baseOf(likeAt)
    this.#files.set(at.absolute, { at, base, after, keepsBackup, like, likeAt })
  }

  drop(at: Located): void {
    this.#files.delete(at.absolute)
  }

  /** Stages that a folder goes, or comes with the mode and owner of another one. */
  stageFolder(at: Located, likeAt: Located | null): void {
    this.#stagedFolders.set(at.absolute, { at, likeAt })
  }

  folders(): readonly StagedFolder[] {
    return [...this.#stagedFolders.values()]
  }

  /** The staged files that really change. */
  changes(): readonly StagedFile[] {
    return [...this.#files.values()].filter(isChange)
  }

  #readBase(at: Located): Original | null {
    const assumed = this.#assumed.find(at.absolute)
    if (assumed !== undefined) return assumed
    return at.kind === 'missing' ? null : readBase(at, this.#maxFileBytes, this.#buffers)
  }

  /** What a person has made read-only in the editor is not changed behind their back on disk either. */
  #requireUnlocked(at: Located): void {
    const why = this.#buffers?.buffers.lockOf(at.absolute) ?? null
    if (why !== null) throw lockedIn(at.display, why)
  }

  /** Text that is not saved exists in the editor alone, so only the editor can change it, and no one may remove it. */
  #requireEditable(at: Located, after: Uint8Array | null): void {
    const why =
      after === null ? 'so it is neither removed nor moved' : (this.#buffers?.buffers.readOnly() ?? null)
    if (why === null) return
    const message = `${at.display} has unsaved text in the editor, ${why}.`
    throw failure('execution_failed', message, { path: at.display, reason: 'unsaved' }, [
      'Ask the user to save the file, then try again.',
    ])
  }

  /** A name cannot become both a file and a folder; without this check, that would only fail while landing. */
  #requireNoClash(at: Located): void {
    const isStaged = (absolute: string): boolean => (this.#files.get(absolute)?.after ?? null) !== null
    const above = foldersAbove(at)
    const file = above.find(isStaged)
    if (file !== undefined) throw clash(at, file)
    const below = `${at.absolute}/`
    if (
      this.#folders.has(at.absolute) &&
      [...this.#files.keys()].some((path) => path.startsWith(below) && isStaged(path))
    )
      throw clash(at, at.absolute)
    for (const folder of above) this.#folders.add(folder)
  }
}

/** The open buffers, and how their texts are found. */
export interface StagingBuffers {
  readonly buffers: OpenBuffers
  readonly findUnsaved: FindUnsaved
}

/** What a call finds in a file: the text of its buffer if that is not saved. */
function inEditor(at: Located, base: Original, file: string, editor: StagingBuffers | null): Original {
  const bytes = editor?.findUnsaved(at.absolute, base.bytes, file) ?? null
  return bytes === null ? base : { ...base, bytes, digest: digest(bytes), stamp: null, isUnsaved: true }
}

function clash(at: Located, absolute: string): ToolFailure {
  const message = `Cannot stage ${at.display}: ${absolute} would have to be a file and a folder at once.`
  return failure('execution_failed', message, { path: at.display }, ['Give one of the two another name.'])
}

function readBase(at: Located, maxFileBytes: number, editor: StagingBuffers | null): Original {
  const file = at.root.openFile(at.rel)
  try {
    // Taken before reading, so that a change during the read is noticed.
    const stamp = fileStampOf(file.stat)
    const bytes = file.readAll(maxFileBytes)
    const { mode, uid, gid, nlink } = file.stat
    const base = { bytes, digest: digest(bytes), mode, uid, gid, hardLinks: nlink, stamp }
    return inEditor(at, base, identityOf(file.stat), editor)
  } finally {
    file.close()
  }
}
