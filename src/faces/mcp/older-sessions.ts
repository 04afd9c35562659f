import { randomUUID } from 'node:crypto'
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../core/json/value.ts'
import { refuseFrame, refuseTakenId } from '../../wire/json-rpc/frame.ts'
import { openConnection } from './connection.ts'
import type { Connection } from './connection.ts'
import { createServer } from './create-server.ts'
import type { ServerDeps } from './create-server.ts'
import { createArgumentProblems } from './line-transport.ts'
import type { ArgumentProblems } from './line-transport.ts'
import type { ReadRequest } from './web-request.ts'

const MOST_SESSIONS = 64
const IDLE_MS = 3600_000

interface OlderSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly connection: Connection
  readonly problems: ArgumentProblems
  /** The ids of requests that are not answered yet. */
  readonly unanswered: Set<unknown>
  idle: NodeJS.Timeout
  /** Requests that are not answered yet, streams of events included. */
  underWay: number
}

/**
 * Clients of the earlier revision, which has sessions: each has a connection of its own until it goes or falls silent. Many
 * go without a word, so the one that has been silent for longest gives way to a new one.
 */
export interface OlderSessions {
  readonly answer: (
    request: Pick<ReadRequest, 'web' | 'over'>,
    body: JsonObject | undefined,
    problems: readonly string[],
  ) => Promise<Response>
  readonly close: () => Promise<void>
}

export function openOlderSessions(deps: ServerDeps, tell: (line: string) => void): OlderSessions {
  /** The one that was used last comes last. */
  const sessions = new Map<string, OlderSession>()

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    if (session === undefined) return
    clearTimeout(session.idle)
    await session.transport.close()
    await session.connection.close()
  }

  const whenIdle = (id: string): NodeJS.Timeout =>
    setTimeout(() => void end(id).catch((error: Error) => tell(error.message)), IDLE_MS).unref()

  /** Counts a request of a session until its answer has been sent, or its client has gone. */
  function use(id: string, session: OlderSession, over: AbortSignal): void {
    sessions.delete(id)
    sessions.set(id, session)
    session.underWay += 1
    over.addEventListener('abort', () => (session.underWay -= 1), { once: true })
  }

  async function makeRoom(): Promise<boolean> {
    if (sessions.size < MOST_SESSIONS) return true
    const [silent] = [...sessions].find(([, { underWay }]) => underWay === 0) ?? []
    if (silent !== undefined) await end(silent)
    return silent !== undefined
  }

  async function begin(request: Request, over: AbortSignal, body: JsonObject): Promise<Response> {
    if (!(await makeRoom())) return refuse(503, 'Too many clients are connected.')
    const connection = openConnection(deps.runtime)
    const problems = createArgumentProblems()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) =>
        use(
          id,
          { transport, connection, problems, unanswered: new Set(), idle: whenIdle(id), underWay: 0 },
          over,
        ),
      onsessionclosed: (id) => end(id),
    })
    await createServer(deps, connection, problems).connect(transport)
    return transport.handleRequest(request, { parsedBody: body })
  }

  return {
    async answer({ web, over }, body, problems) {
      const id = web.headers.get('mcp-session-id')
      if (id === null)
        return body !== undefined && isInitializeRequest(body)
          ? begin(web, over, body)
          : refuse(400, 'Begin with initialize, or name the session in the header Mcp-Session-Id.')
      const session = sessions.get(id)
      if (session === undefined) return refuse(404, 'This session has ended; begin again with initialize.')
      const asked = typeof body?.['method'] === 'string' ? body['id'] : undefined
      if (asked !== undefined && session.unanswered.has(asked))
        return Response.json(refuseTakenId(asked, true), { status: 400 })
      use(id, session, over)
      if (asked !== undefined) {
        session.unanswered.add(asked)
        over.addEventListener('abort', () => session.unanswered.delete(asked), { once: true })
      }
      session.problems.note(body?.['id'], problems)
      clearTimeout(session.idle)
      session.idle = whenIdle(id)
      return session.transport.handleRequest(web, body === undefined ? {} : { parsedBody: body })
    },
    async close() {
      for (const id of sessions.keys()) await end(id)
    },
  }
}

function refuse(status: number, why: string): Response {
  return Response.json(refuseFrame(why), { status })
}
