import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errnoOf } from '../fs/errno.ts'
import { lendFolderBelow } from '../fs/folder-handle.ts'
import { kindOrMissing } from './inspect-path.ts'
import { isBelow } from './mount.ts'

const MAX_NUMBERED = 100
const OWNER_ALL = 0o700
const OWNER_ENTERS = 0o100
const PERMISSIONS = 0o7777

/**
 * Renames something that a command created and was not allowed to, and returns its new path, or null if it cannot be
 * moved. The content may still be wanted. The command may have prepared the folder: by taking every name that is tried,
 * or by forbidding changes in it. Other processes may exchange folders meanwhile, so its folder is opened from the base,
 * and nothing is renamed behind a link.
 */
export function setAside(path: string, base: string): string | null {
  const name = basename(path)
  return lendFolderBelow(base, dirname(path), (folder) =>
    withOpenFolder(folder, () => {
      for (const movedTo of namesFor(name)) {
        if (kindOrMissing(join(folder, movedTo)) !== 'missing') continue
        try {
          renameSync(join(folder, name), join(folder, movedTo))
          return join(dirname(path), movedTo)
        } catch (error) {
          // The short name that is tried last fits where a longer one does not.
          if (errnoOf(error) !== 'ENAMETOOLONG') return null
        }
      }
      return null
    }),
  )
}

function namesFor(name: string): readonly string[] {
  const numbered = Array.from({ length: MAX_NUMBERED }, (_, number) =>
    number === 0 ? `${name}.refused` : `${name}.refused-${number}`,
  )
  return [...numbered, `refused-${randomUUID()}`]
}

/** Does something in a folder whose owner may have lost the right to change it, and then sets its mode back. */
function withOpenFolder<Result>(folder: string, act: () => Result): Result {
  const mode = modeOf(folder)
  const isShut = mode !== null && (mode & OWNER_ALL) !== OWNER_ALL
  if (isShut) changeMode(folder, mode | OWNER_ALL)
  try {
    return act()
  } finally {
    if (isShut) changeMode(folder, mode)
  }
}

/**
 * Opens the folders between a base and a path that a command has closed. To their owner the path looks missing, but
 * others may be let in, and the owner may open them later. Links are not followed: what they lead to is not ours.
 */
export function openFoldersAbove(path: string, base: string): void {
  const folders: string[] = []
  for (let at = dirname(path); at !== dirname(at) && isBelow(at, base); at = dirname(at)) folders.push(at)
  for (const folder of folders.toReversed()) {
    const isThere = lendFolderBelow(base, folder, (handle) => {
      const mode = modeOf(handle)
      if (mode !== null && (mode & OWNER_ENTERS) === 0) changeMode(handle, mode | OWNER_ALL)
      return true
    })
    if (isThere === null) return
  }
}

/** Opens a folder that a command has closed; returns what sets its mode back. */
export function openFolder(folder: string, base: string): () => void {
  const mode = lendFolderBelow(base, folder, modeOf)
  if (mode === null || (mode & OWNER_ALL) === OWNER_ALL) return () => undefined
  const set = (to: number): void =>
    void lendFolderBelow(base, folder, (handle) => (modeOf(handle) === null ? null : changeMode(handle, to)))
  set(mode | OWNER_ALL)
  return () => set(mode)
}

/** The permissions of an opened folder; null if it cannot be looked at. */
function modeOf(folder: string): number | null {
  try {
    const found = statSync(folder)
    return found.isDirectory() ? found.mode & PERMISSIONS : null
  } catch {
    return null
  }
}

function changeMode(folder: string, mode: number): void {
  try {
    chmodSync(folder, mode)
  } catch {
    // It belongs to somebody else; what is tried next fails and says so.
  }
}
