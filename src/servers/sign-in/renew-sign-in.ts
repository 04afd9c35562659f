import { dirname, join } from 'node:path'
import { takeLock } from '../../host/db/session-lock.ts'
import { makePrivateFolder } from '../../host/fs/private-files.ts'
import { systemClock } from '../../host/system/clock.ts'
import { digest } from '../../host/system/hash.ts'
import { signInFetch } from './sign-in-fetch.ts'
import { readSignIn, storeTokens } from './stored-sign-in.ts'
import type { IssuedTokens, StoredSignIn } from './stored-sign-in.ts'

/** Longer than one renewal may take. */
const WAIT_MS = 60_000

/**
 * Renews a sign-in whose token was refused, unless another process has done so. One process at a time: most servers take
 * a refresh token once only, and end the sign-in if it is used again.
 */
export async function renewSignIn(file: string, url: string, refused: string | null): Promise<void> {
  const locks = join(dirname(file), 'locks')
  makePrivateFolder(locks)
  const attempt = await takeLock(join(locks, `${digest(url).slice(0, 32)}.db`), WAIT_MS, systemClock.now)
  if (!attempt.isHeld) throw new Error('another process has been renewing the sign-in for too long')
  try {
    const stored = readSignIn(file, url)
    if (stored === null) throw new Error('it wants you to sign in')
    if (stored.accessToken !== refused) return
    const { refreshToken } = stored
    if (refreshToken === null) throw new Error('the sign-in has expired')
    storeTokens(file, url, { instead: refreshToken, issued: await askForTokens(stored, refreshToken, url) })
  } finally {
    attempt.lock.release()
  }
}

async function askForTokens(stored: StoredSignIn, refreshToken: string, url: string): Promise<IssuedTokens> {
  const { refreshAuthorization } = await import('@modelcontextprotocol/client')
  const { registration, clientSecret } = stored
  const { issuer, tokenEndpoint, authMethods, clientId, clientMethod, resource } = registration
  const tokens = await refreshAuthorization(issuer, {
    metadata: {
      issuer,
      // Only the token endpoint is asked.
      authorization_endpoint: tokenEndpoint,
      token_endpoint: tokenEndpoint,
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: [...authMethods],
    },
    clientInformation: {
      client_id: clientId,
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      ...(clientMethod === null ? {} : { token_endpoint_auth_method: clientMethod }),
    },
    refreshToken,
    ...(resource === null ? {} : { resource: new URL(resource) }),
    fetchFn: signInFetch(url),
  })
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token ?? refreshToken }
}
