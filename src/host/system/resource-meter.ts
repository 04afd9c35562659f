import type { ResourceUse } from '../../core/resource-use.ts'
import { steadyMs } from './clock.ts'

/** Asking the system costs more than a small call does. */
const FRESH_MS = 1

/**
 * Says what this process has used since it began. A look that is less than a millisecond old is given again, so the
 * sums over many calls are right while a very short one may show nothing.
 */
export function createResourceMeter(): () => ResourceUse {
  let last: ResourceUse | null = null
  let lookedAt = -Infinity
  return () => {
    const now = steadyMs()
    if (last !== null && now - lookedAt < FRESH_MS) return last
    lookedAt = now
    last = readResources()
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
