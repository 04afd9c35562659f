import { memoizeLast } from './memoize.ts'

/** What a process has used, since it began or for the time of one call. */
export interface ResourceUse {
  /** Milliseconds of processor time, in user and system mode. */
  readonly cpuMs: number
  /** The peak memory of the process so far; unlike the others it is not a difference, even for one call. */
  readonly maxRssBytes: number
  /** Reads and writes that a device had to be asked for. */
  readonly fsReads: number
  readonly fsWrites: number
}

/** What was used between two readings of the same process. Calls between the same two readings share the result. */
export const useBetween = memoizeLast((before: ResourceUse, after: ResourceUse): ResourceUse => ({
  cpuMs: Math.round((after.cpuMs - before.cpuMs) * 1000) / 1000,
  maxRssBytes: after.maxRssBytes,
  fsReads: after.fsReads - before.fsReads,
  fsWrites: after.fsWrites - before.fsWrites,
}))
