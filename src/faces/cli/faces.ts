import type { ServeAcp } from '../../runtime/acp-serving.ts'
import type { ServeMcp } from '../../runtime/mcp-serving.ts'
import type { OpenApp } from '../../terminal/app-opening.ts'

/** Other interfaces that the command line can open; null if not available. */
export interface Faces {
  readonly openApp: OpenApp | null
  readonly serveMcp: ServeMcp | null
  readonly serveAcp: ServeAcp | null
}
