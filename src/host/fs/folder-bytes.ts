import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from './errno.ts'

/** What a folder takes on disk. */
export function folderBytes(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 0
  const own = stats.blocks * 512
  if (!stats.isDirectory()) return own
  return namesIn(path).reduce((sum, name) => sum + folderBytes(join(path, name)), own)
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return []
  }
}
