import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Removes the files of our own folder and its subfolders that are older than a moment in epoch milliseconds. */
export function pruneFiles(folder: string, olderThan: number): number {
  let removed = 0
  for (const path of listFiles(folder)) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.mtimeMs >= olderThan) continue
    rmSync(path, { force: true })
    removed++
  }
  return removed
}

/** Removes the files of our own folder and its subfolders whose name holds a text. */
export function removeNamed(folder: string, text: string): number {
  const doomed = listFiles(folder).filter((path) => basename(path).includes(text))
  for (const path of doomed) rmSync(path, { force: true })
  return doomed.length
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
