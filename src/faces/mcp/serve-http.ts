import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, isLegacyRequest, validateHostHeader } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../core/json/value.ts'
import { readFrame, refuseFrame } from '../../wire/json-rpc/frame.ts'
import type { McpServing } from '../../runtime/mcp-serving.ts'
import { admitConnections } from './admit-connections.ts'
import { openConnection } from './connection.ts'
import { createDeps, createServer } from './create-server.ts'
import { findToken, isSame } from './http-token.ts'
import { openOlderSessions } from './older-sessions.ts'
import { followLists, keepLooking } from './follow-lists.ts'
import { createArgumentProblems } from './line-transport.ts'
import type { ArgumentProblems } from './line-transport.ts'
import { toWebRequest, writeWebResponse } from './web-request.ts'

const LOOPBACK = '127.0.0.1'
const HOSTS = ['localhost', '127.0.0.1', '[::1]']
/** A name of this machine, and perhaps a port. */
const PLAIN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i
const PATH = '/mcp'
/** What a client may ask for; the form of the web has no room for some others, such as TRACE. */
const METHODS = ['GET', 'POST', 'DELETE']
const MOST_BODY_BYTES = 16 * 1024 * 1024
/** How long a request may take to arrive, its body included; a client is on this machine. */
const REQUEST_MS = 5_000
/** How often that is looked at. */
const LOOK_MS = 1_000

/** Serves MCP on loopback, to clients that have the token. */
export async function serveHttp(serving: McpServing, port: number): Promise<number> {
  const { runtime, stateDir, signal, tell } = serving
  const token = findToken(stateDir)
  const deps = createDeps(serving)
  // Clients choose the ids of their messages, so what is known of a message goes with its request.
  const problemsOf = new WeakMap<Request, ArgumentProblems>()
  // The current revision has no sessions of its own, so all its clients share one of ours.
  const connection = openConnection(runtime)
  const lists = followLists(deps, {
    isShared: true,
    tellTools: () => current.notify.toolsChanged(),
    tellPrompts: () => current.notify.promptsChanged(),
  })
  const shared = { ...deps, lists }
  const current = createMcpHandler((of) => createServer(shared, connection, problemsFor(of.requestInfo)), {
    legacy: 'reject',
    maxRequestBodySize: MOST_BODY_BYTES,
    onerror: (error) => tell(error.message),
  })
  const older = openOlderSessions(deps, tell)
  const stopLooking = keepLooking(runtime)

  function problemsFor(request: Request | undefined): ArgumentProblems {
    const known = request === undefined ? undefined : problemsOf.get(request)
    const problems = known ?? createArgumentProblems()
    if (request !== undefined) problemsOf.set(request, problems)
    return problems
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseRequest(message, token.text)
    if (refusal !== null) return refuse(response, refusal.status, refusal.why)
    const { socket } = message
    if (!admission.admit(socket)) return refuse(response, 503, 'Too many clients are connected.')
    response.on('close', () => admission.noteAnswered(socket))
    const request = await toWebRequest(message, response, MOST_BODY_BYTES)
    admission.noteReceived(socket)
    if (request === null) return refuse(response, 413, `A message has at most ${MOST_BODY_BYTES} bytes.`)
    const frame = request.text === null ? null : readFrame(request.text)
    if (frame?.ok === false) return write(response, 400, frame.answer)
    const body = frame?.message
    const isOlder = await isLegacyRequest(request.web, body)
    if (body !== undefined) problemsFor(request.web).note(body['id'], frame?.problems ?? [])
    const reply = isOlder
      ? await older.answer(request, body, frame?.problems ?? [])
      : await current.fetch(request.web, body === undefined ? {} : { parsedBody: body })
    await writeWebResponse(reply, response)
  }

  const server = createHttpServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: LOOK_MS },
    (message, response) => {
      answer(message, response).catch((error: unknown) => {
        tell(error instanceof Error ? error.message : String(error))
        if (response.headersSent) response.destroy()
        else refuse(response, 500, 'The request failed; the log of the server says why.')
      })
    },
  )
  const admission = admitConnections(server)
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  server.on('error', fail)
  server.listen(port, LOOPBACK, () => {
    const { port: bound } = server.address() as AddressInfo
    tell(`serving MCP at http://${LOOPBACK}:${bound}${PATH}; ${token.where}`)
  })
  signal.addEventListener('abort', () => end(), { once: true })
  if (signal.aborted) end()
  try {
    await ended
  } finally {
    stopLooking()
    lists.close()
    await current.close()
    await older.close()
    server.closeAllConnections()
    server.close()
    await connection.close()
  }
  return 0
}

interface Refusal {
  readonly status: number
  readonly why: string
}

/** Why a request is not looked at any further; null if it is. */
function refuseRequest({ url = '', headers, method = '' }: IncomingMessage, token: string): Refusal | null {
  const host = validateHostHeader(headers.host ?? null, HOSTS)
  // An address is made of it later, which must be possible.
  if (!host.ok || !PLAIN_HOST.test(headers.host ?? '') || !URL.canParse(`http://${headers.host}`))
    return { status: 403, why: 'This server is for this machine alone.' }
  // A page in a browser always names its origin; there is no page that may use this.
  if (headers.origin !== undefined) return { status: 403, why: 'Pages in a browser may not use this server.' }
  if (url.split('?')[0] !== PATH) return { status: 404, why: `MCP is served at ${PATH}.` }
  if (!isSame(headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, why: 'The header Authorization: Bearer TOKEN is missing or wrong.' }
  if (!METHODS.includes(method)) return { status: 405, why: `MCP is asked by ${METHODS.join(', ')}.` }
  if (method === 'POST' && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, why: 'A message has the type application/json.' }
  return null
}

function refuse(response: ServerResponse, status: number, why: string): void {
  write(response, status, refuseFrame(why))
}

function write(response: ServerResponse, status: number, body: JsonObject): void {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (status === 405) headers['allow'] = METHODS.join(', ')
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  // What is left of its message is not waited for.
  if (status === 413 || status === 503) headers['connection'] = 'close'
  response.writeHead(status, headers).end(JSON.stringify(body))
}
