import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request in the form of the web, and the text of its body. */
export interface ReadRequest {
  readonly web: Request
  /** Null if the request has no body. */
  readonly text: string | null
  /** Aborted when the answer has been sent, or the client has gone; that of the request itself may be lost with it. */
  readonly over: AbortSignal
}

/** Reads a request of Node's; null if its body is too large. It is aborted when the client goes. */
export async function toWebRequest(
  message: IncomingMessage,
  response: ServerResponse,
  mostBytes: number,
): Promise<ReadRequest | null> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const text = message.method === 'POST' ? await readBody(message, mostBytes) : null
  if (text === undefined) return null
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const url = `http://${message.headers.host ?? 'localhost'}${message.url ?? '/'}`
  const web = new Request(url, {
    method: message.method ?? 'GET',
    headers,
    body: text,
    signal: gone.signal,
  })
  return { web, text, over: gone.signal }
}

/** The body; undefined if it is too large, in which case the rest is not kept. */
function readBody(message: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  let parts: Buffer[] = []
  let bytes = 0
  message.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes <= mostBytes) parts.push(part)
    else if (parts.length > 0) {
      parts = []
      resolve(undefined)
    }
  })
  message.on('end', () => resolve(bytes > mostBytes ? undefined : Buffer.concat(parts).toString('utf8')))
  message.on('error', reject)
  message.on('close', () => reject(new Error('the client went before it had sent its message')))
  return promise
}

/** Writes a response of the web, piece by piece as it comes. */
export async function writeWebResponse(reply: Response, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, Object.fromEntries(reply.headers))
  if (reply.body !== null) {
    for await (const part of reply.body as unknown as AsyncIterable<Uint8Array>) {
      if (response.destroyed) return
      if (!response.write(part)) await drained(response)
    }
  }
  response.end()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
