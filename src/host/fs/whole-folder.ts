import * as fs from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from './errno.ts'

/** Removes a folder of ours with all that is in it, also what a command closed; links are not followed. */
export function removeFolder(path: string): void {
  try {
    fs.rmSync(path, { recursive: true, force: true })
  } catch (error) {
    const errno = errnoOf(error)
    if (errno !== 'EACCES' && errno !== 'EPERM' && errno !== 'ENOTEMPTY') throw error
    openFolders(path)
    fs.rmSync(path, { recursive: true, force: true })
  }
}

function openFolders(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return
  fs.chmodSync(path, 0o700)
  for (const name of fs.readdirSync(path)) openFolders(join(path, name))
}

/** What a folder takes on disk. */
export function folderBytes(path: string): number {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 0
  const own = stats.blocks * 512
  if (!stats.isDirectory()) return own
  return namesIn(path).reduce((sum, name) => sum + folderBytes(join(path, name)), own)
}

function namesIn(path: string): readonly string[] {
  try {
    return fs.readdirSync(path)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return []
  }
}
