import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What the server saw of one request. */
export interface SeenRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What it answers: a stream in the pieces given, or a plain response. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: readonly string[]
  /** How the stream stops after its last piece. */
  readonly ending?: 'end' | 'tear' | 'hang'
}

/** A server that gives the answers in order, the last one again and again. */
export interface ModelServer {
  readonly url: string
  readonly seen: readonly SeenRequest[]
  /** Resolves when a client has gone before its answer was complete. */
  readonly left: Promise<void>
}

/** Starts one; it goes when the test ends. */
export async function startModelServer(...answers: readonly Answer[]): Promise<ModelServer> {
  const seen: SeenRequest[] = []
  const left = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const answer = answers[Math.min(seen.length, answers.length - 1)] ?? { pieces: [] }
      seen.push({ url: request.url ?? '', headers: request.headers, body })
      response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers })
      response.on('close', () => left.resolve())
      const send = (at: number): void => {
        const piece = answer.pieces[at]
        if (piece !== undefined) response.write(piece, () => setImmediate(send, at + 1))
        else if (answer.ending === 'tear') response.destroy()
        else if (answer.ending !== 'hang') response.end()
      }
      response.flushHeaders()
      send(0)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, left: left.promise }
}
