import type { ResourceUse } from '../core/resource-use.ts'

/** What this process has used since it began. Asking takes about a microsecond. */
export function readResources(): ResourceUse {
  const { userCPUTime, systemCPUTime, maxRSS, fsRead, fsWrite } = process.resourceUsage()
  return {
    cpuMs: (userCPUTime + systemCPUTime) / 1000,
    maxRssBytes: maxRSS * 1024,
    fsReads: fsRead,
    fsWrites: fsWrite,
  }
}
