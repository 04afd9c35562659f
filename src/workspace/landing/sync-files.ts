import { ToolFailure } from '../../core/error.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'

/** Flushes changed files and their folder entries to disk. Files that are gone since are ignored. */
export async function syncFiles(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
): Promise<void> {
  const folders = new Map<string, () => void>()
  const files = new Map<string, () => Promise<void>>()
  for (const { root, path } of changes) {
    const open = rootOf(root)
    files.set(`${root}/${path}`, () => syncFile(open, path))
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      const at = folder
      folders.set(`${root}/${at}`, () => open.syncDir(at))
      // A folder that was created for the file is a new name in its parent.
      if (folder === '') break
    }
  }
  for (const sync of files.values()) await sync()
  for (const sync of folders.values()) unlessGone(sync)
}

async function syncFile(root: Root, path: string): Promise<void> {
  const file = unlessGone(() => root.openFile(path))
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
