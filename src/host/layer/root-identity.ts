import { statSync } from 'node:fs'

/**
 * What tells a folder from another one that takes its name: its inode and when it was made, as systems use inodes again. The
 * device counts only where that time is unknown: its number may change when the machine restarts. Empty if there is no folder.
 */
export function identifyFolder(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return ''
  const { ino, dev, birthtimeNs } = found
  return birthtimeNs === 0n ? `${dev}:${ino}` : `${ino}@${birthtimeNs}`
}
