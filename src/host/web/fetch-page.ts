import type { IncomingMessage } from 'node:http'
import { failure } from '../../core/error.ts'
import { readWebAddress } from '../../core/web/web-address.ts'
import type { WebAddress } from '../../core/web/web-address.ts'
import type { WebAnswer, WebRequest } from '../../core/web/web.ts'
import { askServer } from './ask-server.ts'
import { readBody } from './read-body.ts'
import { lookupHost, resolveHost } from './resolve-host.ts'
import type { LookupHost } from './resolve-host.ts'

/** What decides where a request may connect to. */
export interface FetchDeps {
  /** Whether the user has named this host although it is not public. */
  readonly isPrivateHost: (address: WebAddress) => boolean
  /** Finds IP addresses; the system does if absent. */
  readonly lookup?: LookupHost | undefined
}

const SHOWN_LOCATION_CHARS = 500

/**
 * Fetches an address. Redirects within its origin are followed, on the IP addresses that were checked at the beginning;
 * one to another origin ends the request and is the answer, because that origin is for the approver to judge.
 */
export async function fetchPage(request: WebRequest, deps: FetchDeps): Promise<WebAnswer> {
  const { signal, maxBytes, maxRedirects } = request
  const isPrivate = deps.isPrivateHost(request.address)
  const ips = await unlessAborted(resolveHost(request.address, isPrivate, deps.lookup ?? lookupHost), signal)
  let { address } = request
  for (let followed = 0; ; followed += 1) {
    const { response, ip } = await askServer(address, ips, signal)
    const { statusCode: status = 0, headers } = response
    const location = isRedirect(status) ? (headers.location ?? null) : null
    if (location === null) {
      const { bytes: body, isCut } = await readAnswer(response, maxBytes, address, signal)
      return { is: 'answered', address, ip, status, type: headers['content-type'] ?? '', body, isCut }
    }
    response.destroy()
    const read = readWebAddress(location, address)
    if (!read.ok || read.address.origin !== address.origin)
      return {
        is: 'elsewhere',
        address,
        ip,
        status,
        to: read.ok ? read.address.href : asOneWord(location),
        fault: read.ok ? null : read.why,
      }
    if (followed >= maxRedirects)
      throw failure(
        'execution_failed',
        `${request.address.href} redirects more than ${maxRedirects} times.`,
        { origin: address.origin, key: 'tools.web_fetch.max_redirects' },
        ['Fetch the address it should lead to.'],
      )
    ;({ address } = read)
  }
}

/** What a server names and cannot be read as an address: words of it would stand outside of any frame, so it has no blanks. */
function asOneWord(location: string): string {
  const shown = location.slice(0, SHOWN_LOCATION_CHARS).toWellFormed()
  return shown.replaceAll(/[^\w.~:/?#@!$&'()*+,;=%-]/gu, (sign) => encodeURIComponent(sign))
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

async function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  { origin }: WebAddress,
  signal: AbortSignal,
) {
  try {
    return await readBody(response, maxBytes)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw failure(
      'execution_failed',
      `The answer of ${origin} broke off (${String(error.code)}).`,
      { origin },
      ['Try again.'],
    )
  }
}

/** Looking a name up cannot be stopped; its answer is then ignored. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  return promise
}
