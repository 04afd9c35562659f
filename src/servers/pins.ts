import { join } from 'node:path'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { removeIfExists, replaceText } from '../host/fs/folders.ts'
import { readTextIfExists, RefusedFileError } from '../host/fs/plain-file.ts'
import { readDefinitions } from './definition.ts'
import type { Definition } from './definition.ts'

const MOST_BYTES = 64 * 1024 ** 2

/** Where what is known about servers lies in the state folder. */
export function serverFile(stateDir: string, server: string, kind: 'json' | 'stderr' | 'error'): string {
  return join(stateDir, 'mcp', `${server}.${kind}`)
}

/** The definitions that the user has trusted; null if none were. A damaged file, or one that is not ours, trusts nothing. */
export function readPins(
  stateDir: string,
  server: string,
  isTrusted: (text: string) => boolean,
): readonly Definition[] | null {
  const text = readStored(serverFile(stateDir, server, 'json'))
  const value = text === null || !isTrusted(text) ? undefined : parseJson(text)
  if (!isJsonObject(value) || !Array.isArray(value['tools'])) return null
  return readDefinitions(value['tools']).tools
}

/** One server whose file cannot be used must not keep all commands from running. */
function readStored(file: string): string | null {
  try {
    return readTextIfExists(file, 'own', MOST_BYTES)
  } catch (error) {
    if (error instanceof RefusedFileError) return null
    throw error
  }
}

/** Writes these definitions of a server; returns the text that is to be trusted. */
export function writePins(stateDir: string, server: string, tools: readonly Definition[]): string {
  const rows = tools.map(({ outputSchema, ...rest }): JsonObject =>
    outputSchema === null ? rest : { ...rest, outputSchema },
  )
  // Without blanks: a deep schema would have more of them than of anything else.
  const text = `${JSON.stringify({ tools: rows })}\n`
  replaceText(serverFile(stateDir, server, 'json'), text)
  return text
}

/** Forgets everything about a server. */
export function removePins(stateDir: string, server: string): void {
  for (const kind of ['json', 'stderr', 'error'] as const) removeIfExists(serverFile(stateDir, server, kind))
}

/** Why a server failed last, in any process; null if it worked since. */
export function readLastError(stateDir: string, server: string): string | null {
  return readTextIfExists(serverFile(stateDir, server, 'error'), 'own')?.trim() ?? null
}

/** Records that, for people who ask; a state folder that cannot be written must not fail a call. */
export function noteError(stateDir: string, server: string, why: string | null): void {
  const file = serverFile(stateDir, server, 'error')
  try {
    if (why === null) removeIfExists(file)
    else replaceText(file, `${why}\n`)
  } catch {
    // The call says it too.
  }
}
