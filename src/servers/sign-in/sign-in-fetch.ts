import { boundedFetch } from '../../host/web/bounded-fetch.ts'

const MOST_BYTES = 1024 * 1024
const TIMEOUT_MS = 30_000
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Whether an address may be used to sign in at a server: `https`, or a server of this machine at one of this machine. */
export function isUsable(address: URL, serverUrl: string): boolean {
  const isLocal = LOOPBACK.test(address.hostname)
  if (isLocal && !LOOPBACK.test(new URL(serverUrl).hostname)) return false
  return address.protocol === 'https:' || (address.protocol === 'http:' && isLocal)
}

/** Fetches what signing in needs: only from usable addresses, without redirects, bounded in size and time. */
export function signInFetch(serverUrl: string): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const address = new URL(url)
    if (!isUsable(address, serverUrl))
      throw new Error(`it leads to ${address.origin}, which must not be used to sign in`)
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const { signal } = init
    const both = signal === null || signal === undefined ? limit : AbortSignal.any([signal, limit])
    return boundedFetch(address, { ...init, signal: both }, { mostBytes: MOST_BYTES })
  }
}
