import { RefusedFileError } from '../../host/fs/plain-file.ts'
import type { Definition } from '../../servers/definition.ts'
import { readPins, removePins, writePins } from '../../servers/pins.ts'
import { distrust, isTrusted, trust } from '../configure/trust.ts'
import type { TrustPlaces } from '../configure/trust.ts'

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
export function trustPins(places: TrustPlaces, server: string, tools: readonly Definition[]): void {
  trust(places, listedAs(server), writePins(places.stateDir, server, tools))
}

/** Forgets everything about a server. */
export function forgetServer(places: TrustPlaces, server: string): void {
  removePins(places.stateDir, server)
  distrust(places, listedAs(server))
}

/** Not a path, so that it is never the key of a root. */
function listedAs(server: string): string {
  return `tools of the MCP server ${server}`
}
