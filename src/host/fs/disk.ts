import { statfsSync } from 'node:fs'

/** Bytes an ordinary user may still write to the file system of a path; null where it does not say. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(path)
    return blocks === 0 ? null : bavail * bsize
  } catch {
    return null
  }
}

/** The mode a new file gets from the umask of this process. */
export function newFileMode(): number {
  return 0o666 & ~process.umask()
}
