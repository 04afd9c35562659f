import { readdirSync, readFileSync } from 'node:fs'
import { platform } from './platform.ts'

/** How many files this process has open, and how many it may. */
export interface DescriptorCount {
  readonly open: number
  readonly limit: number
}

/** Counts the open files of this process; null where the system does not say. It lists a folder, so not for every call. */
export function countDescriptors(): DescriptorCount | null {
  if (platform !== 'linux') return null
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    // Looking opens one itself.
    return limit === undefined
      ? null
      : { open: readdirSync('/proc/self/fd').length - 1, limit: Number(limit) }
  } catch {
    return null
  }
}
