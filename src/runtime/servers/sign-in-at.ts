import type { ServerSetting, ServerSettings } from '../../config/kinds/servers-kind.ts'
import { failure } from '../../core/error.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { keyFile } from '../../host/fs/folders.ts'
import type { SignInPage } from '../../servers/sign-in/sign-in.ts'
import { readSignIn, storeSignIn } from '../../servers/sign-in/stored-sign-in.ts'

/** How a user signs in. */
export interface SignInWay {
  /** Shows the page to sign in at. */
  readonly show: (page: SignInPage) => void
  readonly signal: AbortSignal
}

const MOST_FAULT_CHARS = 500

/** Whether the entry of a server names its token itself. */
export function hasOwnToken({ headers }: Pick<ServerSetting, 'headers'>): boolean {
  return headers.names.some((name) => name.toLowerCase() === 'authorization')
}

/** Whether there is a token for the address of a server. A key file that cannot be used has none. */
export function isSignedIn(setting: ServerSetting): boolean {
  if (setting.url === null || hasOwnToken(setting)) return false
  try {
    return readSignIn(keyFile(process.env), setting.url) !== null
  } catch {
    return false
  }
}

/** Signs the user in at the address of a server. */
export async function signInAt(
  name: string,
  entries: ServerSettings,
  { show, signal }: SignInWay,
): Promise<void> {
  const url = signInAddress(name, entries)
  const [{ signIn }, { revealValues }] = await Promise.all([
    import('../../servers/sign-in/sign-in.ts'),
    import('./start-confined.ts'),
  ])
  const headers = revealValues(settingOf(name, entries).headers)
  try {
    await signIn({ url, headers, file: keyFile(process.env), show, signal })
  } catch (error) {
    const why = signal.aborted ? 'it was not finished in time' : describe(error)
    throw failure(
      'execution_failed',
      `Signing in at the MCP server ${name} failed: ${why}.`,
      { server: name },
      [`Try again with tongs mcp login ${name}, or give a token in the headers of its entry.`],
    )
  }
}

/** Forgets the token for the address of a server; returns whether there was one. */
export function signOutAt(name: string, entries: ServerSettings): boolean {
  return storeSignIn(keyFile(process.env), signInAddress(name, entries), null)
}

/** The address at which a user signs in for a server; throws if there is none. */
export function signInAddress(name: string, entries: ServerSettings): string {
  const setting = settingOf(name, entries)
  if (setting.url === null)
    throw failure('bad_args', `The MCP server ${name} is a program, which needs no sign-in.`, {
      server: name,
    })
  if (hasOwnToken(setting))
    throw failure(
      'bad_args',
      `The entry of the MCP server ${name} has a token in its headers.`,
      { server: name },
      ['Take it out of the entry to sign in instead.'],
    )
  return setting.url
}

function settingOf(name: string, entries: ServerSettings): ServerSetting {
  const setting = Object.hasOwn(entries, name) ? entries[name] : undefined
  if (setting === undefined) throw unknownServer(name, Object.keys(entries))
  return setting
}

/** There is no server of this name, but those of others. */
export function unknownServer(name: string, names: readonly string[]): Error {
  const known =
    names.length === 0
      ? 'No MCP servers are configured; tongs mcp add adds one.'
      : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`
  return failure('bad_args', `There is no MCP server ${name} in your configuration.`, { server: name }, [
    known,
  ])
}

function describe(error: unknown): string {
  const reasons: string[] = []
  for (let one = error; one instanceof Error && reasons.length < 3; one = one.cause) reasons.push(one.message)
  const words: string = sanitise(reasons.join(': ').slice(0, MOST_FAULT_CHARS * 2), { oneLine: true })
  return words.slice(0, MOST_FAULT_CHARS).replace(/\.$/, '')
}
