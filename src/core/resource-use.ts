import { memoizeLast } from './memoize.ts'

/** What a process has used, since it began or for the time of one call. */
export interface ResourceUse {
  /** Milliseconds of processor time, in user and system mode. */
  readonly cpuMs: number
  /** The most memory the process has had at any time, which is no difference even for one call. */
  readonly maxRssBytes: number
  /** Reads and writes that a device had to be asked for. */
  readonly fsReads: number
  readonly fsWrites: number
}

/** What was used between two looks at the same process. Calls between the same two looks share what is kept of it. */
export const useBetween = memoizeLast((before: ResourceUse, after: ResourceUse): ResourceUse => ({
  cpuMs: Math.round((after.cpuMs - before.cpuMs) * 1000) / 1000,
  maxRssBytes: after.maxRssBytes,
  fsReads: after.fsReads - before.fsReads,
  fsWrites: after.fsWrites - before.fsWrites,
}))
