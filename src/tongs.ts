import type { Faces } from './faces/cli/faces.ts'
import { main as runLine } from './faces/cli/main.ts'

/** The program: the command line and the interfaces it can open, each loaded on demand. */
export function main(argv: readonly string[], isStdoutUnused = false): Promise<number> {
  return runLine(argv, { openApp, serveMcp, serveAcp }, isStdoutUnused)
}

const openApp: Faces['openApp'] = async (opening) =>
  (await import('./faces/tui/open-app.ts')).openApp(opening)

const serveMcp: Faces['serveMcp'] = async (serving) =>
  (await import('./faces/mcp/serve.ts')).serveMcp(serving)

const serveAcp: Faces['serveAcp'] = async (serving) =>
  (await import('./faces/acp/serve.ts')).serveAcp(serving)
