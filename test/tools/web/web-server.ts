import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { cleanUpWith } from '../../harness/clean-up.ts'

/** A server on this machine that plays the web. */
export interface WebServer {
  readonly port: number
  readonly origin: string
  /** The requests it has received. */
  readonly requests: readonly IncomingMessage[]
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>
}

/** Starts a server that goes when the test ends. */
export async function serveWeb(listener: RequestListener): Promise<WebServer> {
  const { server, ...web } = await startServer(listener)
  cleanUpWith(() => {
    server.closeAllConnections()
    server.close()
  })
  return web
}

async function startServer(listener: RequestListener) {
  const requests: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    requests.push(request)
    listener(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port, origin: `http://127.0.0.1:${port}`, requests, sockets }
}

/** A server that answers every path with one of these, each with its head and its body. */
export function servePages(pages: Pages): Promise<WebServer> {
  return serveWeb(answering(pages))
}

/** The same for as long as the process lives, for modules that several files of tests share. */
export async function keepServing(pages: Pages): Promise<Pick<WebServer, 'origin' | 'port'>> {
  const { server, origin, port } = await startServer(answering(pages))
  server.unref()
  return { origin, port }
}

type Pages = Readonly<Record<string, Page | string>>

function answering(pages: Pages): RequestListener {
  return (request, response) => {
    const page = pages[request.url ?? ''] ?? { status: 404, body: 'no such page' }
    const { status = 200, headers = {}, body = '' } = typeof page === 'string' ? { body: page } : page
    const usual = typeof page === 'string' ? { 'content-type': 'text/html' } : {}
    response.writeHead(status, { ...usual, ...headers }).end(body)
  }
}

export interface Page {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

/** The user's configuration for tests: this machine is named, and nothing is asked. */
export const NAMED = {
  'tools.web_fetch.private_hosts': ['127.0.0.1', 'site.test', 'other.test'],
  'tools.approval.mode': 'auto',
} as const
