import { chmodSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { latin1Name } from '../../../src/host/root/exact-name.ts'
import type { FileChange, FileState } from '../../../src/journal/entries/entry.ts'

/** Puts changes in place in the most literal way: what goes is moved to where it is held, then what comes is moved in. */
export function landLiterally(changes: readonly FileChange[], place: string): void {
  const bytes = (folder: string, path: string): Buffer =>
    Buffer.from(`${folder}/${latin1Name(path)}`, 'latin1')
  const isFolder = (state: FileState | null): boolean => state?.kind === 'folder'
  const heldOf = (state: FileState): Buffer => {
    if (state.held === undefined) throw new Error('a file without a place')
    return bytes(place, state.held)
  }
  for (const { root, path, before } of changes)
    if (before !== null && !isFolder(before)) renameSync(bytes(root, path), heldOf(before))
  for (const { root, path, before, after } of changes.toReversed())
    if (isFolder(before) && !isFolder(after)) rmdirSync(bytes(root, path))
  for (const { root, path, before, after } of changes)
    if (!isFolder(before) && isFolder(after)) mkdirSync(bytes(root, path))
  for (const { root, path, after } of changes)
    if (after !== null && !isFolder(after)) {
      // The command may have closed the folder.
      chmodSync(Buffer.from(dirname(heldOf(after).toString('latin1')), 'latin1'), 0o700)
      renameSync(heldOf(after), bytes(root, path))
    }
  for (const { root, path, after } of changes.toReversed())
    if (after !== null && isFolder(after)) chmodSync(bytes(root, path), after.mode)
}
