import type { JsonObject } from './json/value.ts'

/** A tool given as a module, to be run in a process of its own. */
export interface IsolationSpec {
  /** A `file:` URL or an absolute path. */
  readonly module: URL | string
  /** The exported function; `run` if absent. It is handed the arguments and a few facts about the call, no powers. */
  readonly export?: string
  readonly limits: {
    /** For the tool's own data; what Node itself needs comes on top. */
    readonly memoryBytes: number
    /** Processor time; without it a generous multiple of the timeout. */
    readonly cpuSeconds?: number
    readonly timeoutMs?: number
  }
}

/** An isolation that has been checked. */
export interface Isolation {
  readonly module: string
  readonly export: string
  readonly memoryBytes: number
  readonly cpuSeconds: number | null
}

/** What an isolated function is given besides its arguments. */
export interface IsolatedContext extends JsonObject {
  readonly callId: string
  readonly executionId: string
  readonly timeoutMs: number
  readonly isDryRun: boolean
}

/** One run of an isolated tool. */
export interface IsolatedJob {
  readonly tool: string
  readonly isolation: Isolation
  readonly args: JsonObject
  readonly context: IsolatedContext
  readonly signal: AbortSignal
  readonly emit: (stream: 'stdout' | 'stderr', chunk: string) => void
}

/** Runs a job in a process of its own, which has ended or been killed when this settles. */
export type RunIsolated = (job: IsolatedJob) => Promise<unknown>

/** Node does not start with less. */
const MIN_MEMORY_BYTES = 16 * 1024 ** 2
const ABSOLUTE = /^(?:file:|\/|[A-Za-z]:[\\/])/

/** Checks an isolation and completes it; a text says what is wrong with it. */
export function readIsolation(spec: IsolationSpec): Isolation | string {
  const module = String(spec.module)
  if (!ABSOLUTE.test(module))
    return `isolate.module ${JSON.stringify(module)} is neither a file: URL nor an absolute path; write new URL('./tool.js', import.meta.url)`
  const { memoryBytes, cpuSeconds, timeoutMs } = spec.limits
  if (!Number.isSafeInteger(memoryBytes) || memoryBytes < MIN_MEMORY_BYTES)
    return `isolate.limits.memoryBytes must be a whole number of at least ${MIN_MEMORY_BYTES}`
  for (const [name, value] of Object.entries({ cpuSeconds, timeoutMs })) {
    if (value !== undefined && !(value > 0)) return `isolate.limits.${name} must be a positive number`
  }
  return { module, export: spec.export ?? 'run', memoryBytes, cpuSeconds: cpuSeconds ?? null }
}
