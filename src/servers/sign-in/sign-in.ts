import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { randomBytes } from 'node:crypto'
import { openCallback } from '../../host/serve/open-callback.ts'
import { checkHeaders } from '../check-headers.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import type { Places } from './pending-sign-in.ts'
import { isUsable, signInFetch } from './sign-in-fetch.ts'
import { readSignIn, storeSignIn } from './stored-sign-in.ts'

/** Where a user signs in, and who gets what comes of it. */
export interface SignInPage {
  readonly address: URL
  /** The origin of the party that one signs in at. */
  readonly issuer: string
  /** The address of the server that is sent the token, without its query. */
  readonly server: string
}

/** What signing in needs. */
export interface SignInRequest {
  readonly url: string
  /** Headers of the entry of the server. */
  readonly headers: Readonly<Record<string, string>>
  readonly file: string
  /** Shows the page to sign in at to the user. */
  readonly show: (page: SignInPage) => void
  readonly signal: AbortSignal
}

const STATE_BYTES = 32
const PROTOCOL = '2025-11-25'
/** Ask for nothing but the challenge; some servers let everyone in, and want a sign-in for what follows. */
const PROBES = [
  {
    method: 'initialize',
    params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'tongs', version: '1' } },
  },
  { method: 'tools/list', params: {} },
] as const

/** Signs the user in at a server and stores the tokens. Throws an error in words if it cannot. */
export async function signIn({ url, headers, file, show, signal }: SignInRequest): Promise<void> {
  const { auth, computeScopeUnion, StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/client')
  checkHeaders(headers)
  const fetchFn = signInFetch(url)
  const challenge = await readChallenge(url, headers, fetchFn, signal)
  const callback = await openCallback()
  try {
    const state = randomBytes(STATE_BYTES).toString('base64url')
    const pending = new PendingSignIn(callback.url, state, (places) => checkPlaces(places, url))
    const earlier = readSignIn(file, url)?.registration.scope ?? undefined
    const scope = computeScopeUnion(challenge.scope, earlier)
    const provider: OAuthClientProvider = pending
    await auth(provider, {
      serverUrl: url,
      ...(scope === undefined ? {} : { scope }),
      ...(challenge.resourceMetadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      fetchFn,
    })
    const { issuer } = pending.places()
    const { origin, pathname } = new URL(url)
    show({ address: pending.page(), issuer: issuer.origin, server: origin + pathname })
    const answer = await callback.wait(state, signal)
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      authProvider: provider,
      fetch: fetchFn,
    })
    await transport.finishAuth(answer)
    storeSignIn(file, url, pending.result())
  } finally {
    callback.close()
  }
}

interface Challenge {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
}

/** What the server says to someone who has not signed in. */
async function readChallenge(
  url: string,
  headers: Readonly<Record<string, string>>,
  fetchFn: ReturnType<typeof signInFetch>,
  signal: AbortSignal,
): Promise<Challenge> {
  const { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } =
    await import('@modelcontextprotocol/client')
  let session: string | null = null
  for (const [id, probe] of PROBES.entries()) {
    const response = await fetchFn(url, {
      method: 'POST',
      headers: {
        ...headers,
        ...(session === null ? {} : { 'mcp-session-id': session }),
        'mcp-protocol-version': PROTOCOL,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, ...probe }),
      signal,
    })
    await response.body?.cancel()
    session = response.headers.get('mcp-session-id')
    if (response.status === 401 || response.status === 403) return extractWWWAuthenticateParams(response)
  }
  // It may want one for calls alone; then it says at least where.
  await discoverOAuthProtectedResourceMetadata(url, {}, fetchFn).catch((error: unknown) => {
    throw new Error('it does not ask for a sign-in', { cause: error })
  })
  return {}
}

/**
 * The server gets the token, so the issuer that it names has to answer for every place. A server that names itself, with
 * the page and the token endpoint of another party, would be given a token of that party.
 */
function checkPlaces({ issuer, page, tokenEndpoint, registrationEndpoint }: Places, url: string): void {
  if (!isUsable(issuer, url))
    throw new Error(`it leads to ${issuer.origin}, which must not be used to sign in`)
  for (const [what, place] of [
    ['the page to sign in at', page],
    ['the token endpoint', tokenEndpoint],
    ['the registration endpoint', registrationEndpoint],
  ] as const)
    if (place.origin !== issuer.origin)
      throw new Error(
        `its issuer is ${issuer.origin}, but ${what} would be at ${place.protocol}//${place.host}`,
      )
    // In front of the host it would look like another one.
    else if (place.username !== '' || place.password !== '')
      throw new Error(`${what} would be at an address with a user name in it`)
}
