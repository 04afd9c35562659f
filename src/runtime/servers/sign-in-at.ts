import type { ServerSetting } from '../../config/kinds/servers-kind.ts'
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
  setting: ServerSetting | undefined,
  { show, signal }: SignInWay,
): Promise<void> {
  const url = addressOf(name, setting)
  const [{ signIn }, { revealValues }] = await Promise.all([
    import('../../servers/sign-in/sign-in.ts'),
    import('./start-confined.ts'),
  ])
  const headers = setting === undefined ? {} : revealValues(setting.headers)
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
export function signOutAt(name: string, setting: ServerSetting | undefined): boolean {
  return storeSignIn(keyFile(process.env), addressOf(name, setting), null)
}

function addressOf(name: string, setting: ServerSetting | undefined): string {
  if (setting === undefined) throw unknownServer(name)
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

/** There is no server of this name. */
export function unknownServer(name: string): Error {
  return failure('bad_args', `There is no MCP server ${name} in your configuration.`, { server: name }, [
    'See tongs mcp list.',
  ])
}

function describe(error: unknown): string {
  const reasons: string[] = []
  for (let one = error; one instanceof Error && reasons.length < 3; one = one.cause) reasons.push(one.message)
  const words: string = sanitise(reasons.join(': ').slice(0, MOST_FAULT_CHARS * 2), { oneLine: true })
  return words.slice(0, MOST_FAULT_CHARS).replace(/\.$/, '')
}
