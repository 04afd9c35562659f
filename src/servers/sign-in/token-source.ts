import type { AuthProvider } from '@modelcontextprotocol/client'
import { boundedFetch } from '../../host/web/bounded-fetch.ts'
import { renewSignIn } from './renew-sign-in.ts'
import { readSignIn, storeRegistration } from './stored-sign-in.ts'

/** The token of a server at an address, and whether the server wants another one. */
export interface TokenSource {
  readonly provider: AuthProvider
  readonly fetch: typeof boundedFetch
  /** Whether the newest answer of the server was that one has to sign in, or sign in for more. */
  readonly isSignInWanted: () => boolean
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403
/** The characters that scopes have, and far more of them than any server needs. */
const SCOPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,2000}$/

/**
 * Sends the stored token of an address. An expired one is renewed where the user signed in, and nowhere else: what the
 * server says about places to sign in counts only in `tongs mcp login`.
 */
export function createTokenSource(file: string, url: string): TokenSource {
  let isWanted = false
  let sent: string | null = null
  let renewing: Promise<void> | null = null
  return {
    provider: {
      async token() {
        sent = readSignIn(file, url)?.accessToken ?? null
        return sent ?? undefined
      },
      async onUnauthorized() {
        renewing ??= renewSignIn(file, url, sent).finally(() => {
          renewing = null
        })
        await renewing
      },
    },
    async fetch(to, init) {
      const response = await boundedFetch(to, init)
      const isForMore = response.status === FORBIDDEN && (await noteScope(file, url, response))
      if (response.status === UNAUTHORIZED || isForMore) isWanted = true
      else if (response.ok) isWanted = false
      return response
    },
    isSignInWanted: () => isWanted,
  }
}

/** Stores what the server wants besides, for the next sign-in; returns whether it wants anything. */
async function noteScope(file: string, url: string, response: Response): Promise<boolean> {
  const { computeScopeUnion, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { error, scope = '' } = extractWWWAuthenticateParams(response)
  if (error !== 'insufficient_scope') return false
  const stored = readSignIn(file, url)
  if (stored === null || !SCOPE.test(scope)) return true
  const wanted = computeScopeUnion(stored.registration.scope ?? undefined, scope) ?? null
  // A server could want something else each time, until the key file is full.
  const isBounded = wanted !== null && SCOPE.test(wanted)
  if (isBounded && wanted !== stored.registration.scope)
    storeRegistration(file, url, { ...stored.registration, scope: wanted })
  return true
}
