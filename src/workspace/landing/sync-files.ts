import { ToolFailure } from '../../core/error.ts'
import { syncFileSystem } from '../../host/fs/sync-file-system.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { LookOptions } from './change-status.ts'
import type { HeldFiles } from './contents/held.ts'

/** From so many files on, flushing the whole file system once is quicker than flushing each. */
const MANY = 200

/** What is to be flushed, by absolute path. */
interface Flush {
  readonly files: Map<string, () => Promise<void>>
  readonly folders: Map<string, () => void>
  readonly roots: Set<Root>
}

/** Flushes changed files and their folder entries to disk, and those of what was moved away. Files that are gone since are ignored. */
export async function syncFiles(
  changes: readonly FileChange[],
  { rootOf, held }: Pick<LookOptions, 'rootOf' | 'held'>,
): Promise<void> {
  const flush = nothing()
  for (const { root, path, before } of changes) {
    add(flush, rootOf(root), path)
    const kept = before?.held === undefined ? null : held.find(root, before.held)
    if (kept !== null) add(flush, kept.root, kept.rel)
  }
  await carryOut(flush)
}

/** Flushes contents that are to be moved into the workspace. */
export async function syncHeld(changes: readonly FileChange[], held: HeldFiles): Promise<void> {
  const flush = nothing()
  for (const { root, after } of changes) {
    const spot = after?.held === undefined ? null : held.find(root, after.held)
    if (spot !== null) add(flush, spot.root, spot.rel)
  }
  await carryOut(flush)
}

function nothing(): Flush {
  return { files: new Map(), folders: new Map(), roots: new Set() }
}

function add({ files, folders, roots }: Flush, root: Root, path: string): void {
  roots.add(root)
  files.set(`${root.path}/${path}`, () => syncFile(root, path))
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const at = folder
    folders.set(`${root.path}/${at}`, () => root.syncDir(at))
    // A folder that was created for the file is a new name in its parent.
    if (folder === '') break
  }
}

async function carryOut({ files, folders, roots }: Flush): Promise<void> {
  if (files.size >= MANY && (await syncAll(roots))) return
  for (const sync of files.values()) await sync()
  for (const sync of folders.values()) unlessGone(sync)
}

/** Flushes the file systems of some folders; false if that is not possible. */
async function syncAll(roots: ReadonlySet<Root>): Promise<boolean> {
  for (const root of roots) if (!(await syncFileSystem(root.path))) return false
  return true
}

async function syncFile(root: Root, path: string): Promise<void> {
  const file = unlessGone(() => (root.stat(path)?.kind === 'file' ? root.openFile(path) : null))
  if (file === null) return
  try {
    await file.sync()
  } finally {
    file.close()
  }
}

function unlessGone<T>(run: () => T): T | null {
  try {
    return run()
  } catch (thrown) {
    const errno = thrown instanceof ToolFailure ? thrown.error.details['errno'] : undefined
    if (errno === 'EIO' || errno === 'ENOSPC' || errno === 'EMFILE' || !(thrown instanceof ToolFailure))
      throw thrown
    return null
  }
}
