import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { errnoOf } from '../fs/errno.ts'
import { OLD } from './layer.ts'
import { GONE_PREFIX, isExecutionName } from './layer-names.ts'

/**
 * Takes everything from a landed layer but what it replaced, which undo needs; null if nothing is left to remove. The
 * rest moves into a folder of no name, so that this takes no longer for many files; the caller or the next sweep removes
 * that.
 */
export function stripLayer(place: string, execution: string): string | null {
  if (!isExecutionName(execution)) return null
  const gone = join(place, `${GONE_PREFIX}${randomUUID()}`)
  let count = 0
  for (const part of foldersIn(join(place, execution)))
    for (const folder of foldersIn(part)) {
      if (basename(folder) === OLD || isRemoved(folder)) continue
      if (count === 0) mkdirSync(gone, { mode: 0o700 })
      renameSync(folder, join(gone, `${count++}`))
    }
  return count === 0 ? null : gone
}

/** Removes a folder if it is empty. */
function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

function foldersIn(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
  } catch (error) {
    // Another process may have forgotten the call since.
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}
