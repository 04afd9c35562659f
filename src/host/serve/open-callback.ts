import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of this machine that a browser is sent back to, once. */
export interface Callback {
  readonly url: string
  /** The parameters of the first request that has this state; rejects when the signal is aborted. */
  readonly wait: (state: string, signal: AbortSignal) => Promise<URLSearchParams>
  readonly close: () => void
}

const LOOPBACK = '127.0.0.1'
const PATH = '/callback'
const MOST_CONNECTIONS = 8
const HEADERS_MS = 5_000
const DONE = 'You can close this page and go back to the terminal.\n'
const NOT_OURS = 'This is not what was waited for.\n'

/** Listens on a free port of loopback. Nothing of a request is ever shown or followed. */
export async function openCallback(): Promise<Callback> {
  const { promise: received, resolve: receive } = Promise.withResolvers<URLSearchParams>()
  let expected: Buffer | null = null
  const server = createServer(
    { headersTimeout: HEADERS_MS, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      const { port } = server.address() as AddressInfo
      const url = URL.parse(request.url ?? '', `http://${LOOPBACK}:${port}`)
      const isOurs =
        request.method === 'GET' &&
        request.headers.host === `${LOOPBACK}:${port}` &&
        url?.pathname === PATH &&
        isSame(url.searchParams.getAll('state'), expected)
      response.writeHead(isOurs ? 200 : 400, {
        'content-type': 'text/plain; charset=utf-8',
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        connection: 'close',
      })
      response.end(isOurs ? DONE : NOT_OURS)
      if (isOurs) receive(url.searchParams)
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(0, LOOPBACK, done)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${LOOPBACK}:${port}${PATH}`,
    async wait(state, signal) {
      signal.throwIfAborted()
      expected = Buffer.from(state)
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      const onAbort = (): void => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await Promise.race([received, aborted])
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    close() {
      server.close()
      server.closeIdleConnections()
      // The browser gets its answer first.
      setTimeout(() => server.closeAllConnections(), HEADERS_MS).unref()
    },
  }
}

/** A request that names its state twice means two things at once. */
function isSame(given: readonly string[], expected: Buffer | null): boolean {
  const bytes = Buffer.from(given[0] ?? '')
  return (
    expected !== null &&
    given.length === 1 &&
    bytes.length === expected.length &&
    timingSafeEqual(bytes, expected)
  )
}
