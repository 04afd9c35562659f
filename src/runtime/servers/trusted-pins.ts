import { RefusedFileError } from '../../host/fs/plain-file.ts'
import type { Definition } from '../../servers/definition.ts'
import { readPins, removePins, writePins } from '../../servers/pins.ts'
import { distrust, isTrusted, trust } from '../configure/trust.ts'

/** The definitions of a server that the user has trusted; null if none were. What another program wrote is not trusted. */
export function readTrustedPins(stateDir: string, server: string): readonly Definition[] | null {
  return readPins(stateDir, server, (text) => {
    try {
      return isTrusted(stateDir, listedAs(server), text)
    } catch (error) {
      if (error instanceof RefusedFileError) return false
      throw error
    }
  })
}

/** Trusts exactly these definitions of a server. */
export function trustPins(stateDir: string, server: string, tools: readonly Definition[]): void {
  trust(stateDir, listedAs(server), writePins(stateDir, server, tools))
}

/** Forgets everything about a server. */
export function forgetServer(stateDir: string, server: string): void {
  removePins(stateDir, server)
  distrust(stateDir, listedAs(server))
}

/** Not a path, so that it is never the key of a root. */
function listedAs(server: string): string {
  return `tools of the MCP server ${server}`
}
