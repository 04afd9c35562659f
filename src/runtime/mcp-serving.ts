import type { Runtime } from './runtime.ts'

/** What serving MCP needs, as the command line passes it on. */
export interface McpServing {
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

/** Serves MCP until it is ended; returns the exit code. */
export type ServeMcp = (serving: McpServing) => Promise<number>
