import type { Faces } from './faces/cli/commands/app.ts'
import { main as runLine } from './faces/cli/main.ts'

/** The program: a command line, and the faces it can open. Each is loaded only when it is wanted. */
export function main(argv: readonly string[], isStdoutUnused = false): Promise<number> {
  return runLine(argv, { openApp }, isStdoutUnused)
}

const openApp: Faces['openApp'] = async (opening) =>
  (await import('./faces/tui/open-app.ts')).openApp(opening)
