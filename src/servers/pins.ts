import { join } from 'node:path'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { removeIfExists, replaceText } from '../host/fs/folders.ts'
import { readTextIfExists } from '../host/fs/plain-file.ts'
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
  const text = readTextIfExists(serverFile(stateDir, server, 'json'), 'own', MOST_BYTES)
  const value = text === null || !isTrusted(text) ? undefined : parseJson(text)
  if (!isJsonObject(value) || !Array.isArray(value['tools'])) return null
  return readDefinitions(value['tools']).tools
}

/** Writes these definitions of a server; returns the text that is to be trusted. */
export function writePins(stateDir: string, server: string, tools: readonly Definition[]): string {
  const rows = tools.map(({ outputSchema, ...rest }): JsonObject =>
    outputSchema === null ? rest : { ...rest, outputSchema },
  )
  const text = `${JSON.stringify({ tools: rows }, null, 2)}\n`
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
