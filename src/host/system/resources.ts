import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import type { ResourceUse } from '../../core/resource-use.ts'
import { steadyMs } from './clock.ts'
import { platform } from './platform.ts'

/** Reading the usage may cost more than a small call does, and more the more threads there are. */
const FRESH_MS = 1
const FRESH_FACTOR = 100
/** A reading that was interrupted seems to have taken long. */
const LONGEST_FRESH_MS = 10

/**
 * Measures what this process has used since it began. A reading is returned again for a millisecond, and for up to ten
 * if it took long, so sums over many calls are right while a very short call may show nothing.
 */
export function createResourceMeter(): () => ResourceUse {
  let last: ResourceUse | null = null
  let freshUntilMs = -Infinity
  return () => {
    const now = steadyMs()
    if (last !== null && now < freshUntilMs) return last
    last = readResources()
    const tookMs = steadyMs() - now
    freshUntilMs = now + Math.min(LONGEST_FRESH_MS, Math.max(FRESH_MS, tookMs * FRESH_FACTOR))
    return last
  }
}

function readResources(): ResourceUse {
  const { userCPUTime, systemCPUTime, maxRSS, fsRead, fsWrite } = process.resourceUsage()
  return {
    cpuMs: (userCPUTime + systemCPUTime) / 1000,
    maxRssBytes: maxRSS * 1024,
    fsReads: fsRead,
    fsWrites: fsWrite,
  }
}

/** How many files this process has open, and how many it may open. */
export interface DescriptorCount {
  readonly open: number
  readonly limit: number
}

/** Counts the open files of this process; null if the system does not say. It lists a folder, so not for every call. */
export function countDescriptors(): DescriptorCount | null {
  if (platform !== 'linux') return null
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    // Listing the folder opens one itself.
    return limit === undefined
      ? null
      : { open: readdirSync('/proc/self/fd').length - 1, limit: Number(limit) }
  } catch {
    return null
  }
}

/** Bytes an ordinary user may still write to the file system of a path; null if it does not say. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(path)
    return blocks === 0 ? null : bavail * bsize
  } catch {
    return null
  }
}
