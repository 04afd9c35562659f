import { Agent, request } from 'node:http'

/** A request to a server on this machine. */
export interface LoopbackRequest {
  readonly port: number
  readonly path: string
  /** Sent as JSON; without it the request is a GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** The status and the parsed body; undefined if the body is not JSON. */
export interface LoopbackAnswer {
  readonly status: number
  readonly json: unknown
}

const MAX_BYTES = 8 * 1024 ** 2

/** Asks a server on the loopback address, and never through a proxy; null if it does not answer in time. */
export function askLoopback(wish: LoopbackRequest): Promise<LoopbackAnswer | null> {
  const { port, path, body, timeoutMs, signal } = wish
  const stop = AbortSignal.timeout(timeoutMs)
  const sent = body === undefined ? null : JSON.stringify(body)
  return new Promise((done) => {
    const asked = request(
      {
        // An agent of its own: the usual one may have been told to use a proxy.
        agent: new Agent({ keepAlive: false }),
        host: '127.0.0.1',
        port,
        path,
        method: sent === null ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(sent === null ? {} : { 'content-type': 'application/json' }),
          ...wish.headers,
        },
        signal: signal === undefined ? stop : AbortSignal.any([signal, stop]),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > MAX_BYTES) response.destroy()
        })
        response.on('error', () => done(null))
        response.on('close', () =>
          done(response.complete ? { status: response.statusCode ?? 0, json: parse(text) } : null),
        )
      },
    )
    asked.on('error', () => done(null))
    asked.end(sent ?? undefined)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
