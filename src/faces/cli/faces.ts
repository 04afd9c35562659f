import type { Runtime } from '../../runtime/runtime.ts'
import type { OpenApp } from '../../terminal/app-opening.ts'

/** What serving MCP needs. */
export interface McpServing {
  readonly runtime: Runtime
  /** The port on loopback; null serves the standard streams. */
  readonly port: number | null
  readonly stateDir: string
  readonly tell: (line: string) => void
  readonly signal: AbortSignal
}

/** Serves MCP until it is ended; returns the exit code. */
export type ServeMcp = (serving: McpServing) => Promise<number>

/** Other interfaces that the command line can open; null if not available. */
export interface Faces {
  readonly openApp: OpenApp | null
  readonly serveMcp: ServeMcp | null
}
