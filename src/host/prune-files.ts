import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

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

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
