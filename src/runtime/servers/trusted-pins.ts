import { RefusedFileError } from '../../host/fs/plain-file.ts'
import type { Definition } from '../../servers/definition.ts'
import { readPins, removePins, writePins } from '../../servers/pins.ts'
import { distrust, isTrusted, trust } from '../configure/trust.ts'
import type { TrustPlaces } from '../configure/trust.ts'

/**
 * The definitions of a server that the user has trusted; null if none were. What another program wrote is not trusted, nor
 * what was trusted of a server of the same name that is bound to another entry.
 */
export function readTrustedPins(
  stateDir: string,
  server: string,
  boundTo?: string,
): readonly Definition[] | null {
  return readPins(stateDir, server, (text) => {
    try {
      return isTrusted(stateDir, listedAs(server, boundTo), text)
    } catch (error) {
      if (error instanceof RefusedFileError) return false
      throw error
    }
  })
}

/** Trusts exactly these definitions of a server. */
export function trustPins(
  places: TrustPlaces,
  { name: server, boundTo }: { readonly name: string; readonly boundTo?: string | undefined },
  tools: readonly Definition[],
): void {
  trust(places, listedAs(server, boundTo), writePins(places.stateDir, server, tools))
}

/** Forgets everything about a server. */
export function forgetServer(places: TrustPlaces, server: string): void {
  removePins(places.stateDir, server)
  distrust(places, listedAs(server))
}

/** Not a path, so that it is never the key of a root. */
function listedAs(server: string, boundTo?: string): string {
  const tools = `tools of the MCP server ${server}`
  return boundTo === undefined ? tools : `${tools}, as ${boundTo}`
}
