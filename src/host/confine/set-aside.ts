import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { lendFolderBelow } from '../fs/folder-handle.ts'
import { openRoot } from '../root/open-root.ts'
import type { GuardedLink } from './confinement.ts'
import { disarmBelow, REFUSED_SUFFIX } from './disarm.ts'
import { kindOrMissing } from './inspect-path.ts'
import { isBelow } from './mount.ts'

const MAX_NUMBERED = 100
const OWNER_ALL = 0o700
const OWNER_ENTERS = 0o100
const PERMISSIONS = 0o7777

/**
 * Renames something that a command created and was not allowed to, and returns its new path, or null if it cannot be
 * moved. The content may still be wanted, but no part of it is a repository any more, or git would obey it under its new
 * name as well. The command may have prepared the folder: by taking every name that is tried, or by forbidding changes in
 * it.
 */
export function setAside(path: string): string | null {
  return withOpenFolder(dirname(path), () => {
    for (const movedTo of namesFor(path)) {
      if (kindOrMissing(movedTo) !== 'missing') continue
      const fault = rename(path, movedTo)
      if (fault === null) return isHarmless(movedTo) ? movedTo : null
      // The short name that is tried last fits where a longer one does not.
      if (fault !== 'ENAMETOOLONG') return null
    }
    return null
  })
}

/** Makes a link again that a command removed or moved away; false if its folder is not there any more. */
export function putBack({ path, target }: GuardedLink): boolean {
  const make = (folder: string): boolean => {
    try {
      symlinkSync(target, join(folder, basename(path)))
      return true
    } catch {
      return false
    }
  }
  return withOpenFolder(dirname(path), () => lendFolderBelow('/', dirname(path), make)) === true
}

function isHarmless(path: string): boolean {
  if (kindOrMissing(path) !== 'folder') return true
  const close = openFolder(path)
  try {
    disarmBelow(path)
    return true
  } catch {
    return false
  } finally {
    close()
  }
}

/** Renames through open folders: by its words alone a path that was looked at could lead elsewhere by now. */
function rename(from: string, to: string): string | null {
  const top = openRoot('/')
  try {
    top.rename(from.slice(1), to.slice(1))
    return null
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return String(error.error.details?.['errno'] ?? error.error.code)
  } finally {
    top.close()
  }
}

function namesFor(path: string): readonly string[] {
  const numbered = Array.from({ length: MAX_NUMBERED }, (_, number) =>
    number === 0 ? `${path}${REFUSED_SUFFIX}` : `${path}${REFUSED_SUFFIX}-${number}`,
  )
  return [...numbered, join(dirname(path), `refused-${randomUUID()}`)]
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
    const mode = modeOf(folder)
    if (mode === null) return
    if ((mode & OWNER_ENTERS) === 0) changeMode(folder, mode | OWNER_ALL)
  }
}

/** Opens a folder that a command has closed; returns what sets its mode back. */
export function openFolder(folder: string): () => void {
  const mode = modeOf(folder)
  if (mode === null || (mode & OWNER_ALL) === OWNER_ALL) return () => undefined
  changeMode(folder, mode | OWNER_ALL)
  return () => changeMode(folder, mode)
}

/** The permissions of a folder; null if it is none or cannot be looked at. */
function modeOf(folder: string): number | null {
  try {
    const found = lstatSync(folder)
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
