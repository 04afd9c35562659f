import { ToolFailure } from '../../core/error.ts'
import { syncFileSystem } from '../../host/fs/sync-file-system.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { LookOptions } from './change-status.ts'
import type { HeldFiles } from './held.ts'

/** From so many files on, one system call that flushes the whole file system is quicker than flushing each. */
const SEVERAL = 8
/** The same for a program that does it. */
const MANY = 200

/** What is to be flushed, by absolute path. */
interface Flush {
  readonly files: Map<string, () => Promise<void>>
  readonly folders: Map<string, () => void>
  /** The folders in which names changed, by root. */
  readonly roots: Map<Root, Set<string>>
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
  return { files: new Map(), folders: new Map(), roots: new Map() }
}

function add({ files, folders, roots }: Flush, root: Root, path: string): void {
  const changed = roots.get(root) ?? new Set()
  roots.set(root, changed.add(folderOf(path)))
  files.set(`${root.path}/${path}`, () => syncFile(root, path))
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const at = folder
    folders.set(`${root.path}/${at}`, () => root.syncDir(at))
    // A folder that was created for the file is a new name in its parent.
    if (folder === '') break
  }
}

async function carryOut({ files, folders, roots }: Flush): Promise<void> {
  if (files.size >= SEVERAL && (await syncFileSystems(roots))) return
  if (files.size >= MANY && (await syncAll([...roots.keys()]))) return
  for (const sync of files.values()) await sync()
  for (const sync of folders.values()) unlessGone(sync)
}

/** Flushes each file system that one of the folders is on; false if that is not possible. */
async function syncFileSystems(roots: Flush['roots']): Promise<boolean> {
  const done = new Set<number>()
  for (const [root, folders] of roots)
    for (const folder of folders) {
      const device = unlessGone(() => root.stat(folder)?.dev ?? null)
      if (device === null || done.has(device)) continue
      const isSynced = await unlessGone(() => root.syncFileSystem(folder))
      if (isSynced !== true) return false
      done.add(device)
    }
  return true
}

/** Flushes the file systems of some roots with a program; false if that is not possible. */
async function syncAll(roots: readonly Root[]): Promise<boolean> {
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
