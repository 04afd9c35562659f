import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { randomBytes } from 'node:crypto'
import { openCallback } from '../../host/serve/open-callback.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import { isUsable, signInFetch } from './sign-in-fetch.ts'
import { readSignIn, storeSignIn } from './stored-sign-in.ts'

/** What signing in needs. */
export interface SignInRequest {
  readonly url: string
  /** Headers of the entry of the server. */
  readonly headers: Readonly<Record<string, string>>
  readonly file: string
  /** Shows the page to sign in at to the user. */
  readonly show: (page: URL) => void
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
  const fetchFn = signInFetch(url)
  const challenge = await readChallenge(url, headers, fetchFn, signal)
  const callback = await openCallback()
  try {
    const state = randomBytes(STATE_BYTES).toString('base64url')
    const pending = new PendingSignIn(callback.url, state)
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
    const page = pending.page()
    checkPlaces(page, pending.tokenEndpoint(), url)
    show(page)
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
 * The code that the page gives out is redeemed at the token endpoint, together with what proves that it is ours. A server
 * that names the page of one party and the endpoint of another would be given both.
 */
function checkPlaces(page: URL, tokenEndpoint: URL, url: string): void {
  if (!isUsable(page, url)) throw new Error(`it leads to ${page.origin}, which must not be used to sign in`)
  if (page.origin !== tokenEndpoint.origin)
    throw new Error(
      `one would sign in at ${page.origin}, but the proof of it would be sent to ${tokenEndpoint.origin}`,
    )
}
