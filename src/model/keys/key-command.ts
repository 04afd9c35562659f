import { homeFolder } from '../../host/fs/folders.ts'
import { pathOutside } from '../../host/run/order-path.ts'
import { readCommandOutput } from '../../host/run/read-command-output.ts'
import { ModelError } from '../model-client.ts'
import type { KeyWorld } from './key-sources.ts'

/** Long enough for a person to unlock a password store. */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 65_536

/**
 * The key that the user's own command prints as its first line; throws a ModelError that quotes nothing of what it
 * printed. It starts in the home folder, and is not looked up in the folders that models work in, so that no file of a
 * project can take its place.
 */
export async function printKey(
  words: readonly string[],
  { env, roots }: KeyWorld,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<string> {
  const { signal, timeoutMs = TIMEOUT_MS } = options
  const end = await readCommandOutput({
    argv: words,
    cwd: homeFolder(env),
    env: { ...env, PATH: pathOutside(env['PATH'] ?? '', roots) || '/usr/bin:/bin' },
    timeoutMs,
    maxBytes: MAX_BYTES,
    ...(signal === undefined ? {} : { signal }),
  })
  if (signal?.aborted === true)
    throw new ModelError('auth', 'model.key_command was stopped before it printed a key.')
  if (!end.ok) throw fault(`the program ${JSON.stringify(words[0] ?? '')} ${end.why}`)
  const [line = ''] = end.stdout.split(/\r?\n/, 1)
  const key = line.trim()
  if (key === '') throw fault('it printed nothing')
  if (!isKey(key)) throw fault('its first line contains characters that no key has')
  return key
}

/** Whether a text could be sent as a key: a header cannot carry anything else, and its error would quote it. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(text)
}

function fault(why: string): ModelError {
  return new ModelError('auth', `model.key_command gave no key: ${why}. Try the command in a shell.`)
}
