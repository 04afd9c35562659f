import type { Runtime } from '../../runtime/runtime.ts'

/** What the command line passes to the server. */
export interface McpOpening {
  readonly runtime: Runtime
  /** The port on loopback; null serves the standard streams. */
  readonly port: number | null
  /** Where the token lies if the environment has none. */
  readonly stateDir: string
  /** Tells the person who started it; never on standard output. */
  readonly tell: (line: string) => void
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal
}
