import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpServing } from '../../runtime/mcp-serving.ts'
import { openConnection } from './connection.ts'
import { createDeps, createServer } from './create-server.ts'
import { keepLooking } from './follow-lists.ts'
import { createArgumentProblems, LineTransport } from './line-transport.ts'

/** Serves MCP until the client or the person ends it; returns the exit code. */
export async function serveMcp(serving: McpServing): Promise<number> {
  if (serving.port === null) return serveStreams(serving, process.stdin, process.stdout)
  return (await import('./serve-http.ts')).serveHttp(serving, serving.port)
}

/** Serves one client, whose messages are lines. */
export async function serveStreams(
  { runtime, stateDir, signal, tell }: Omit<McpServing, 'port'>,
  input: Readable,
  output: Writable,
): Promise<number> {
  const problems = createArgumentProblems()
  const connection = openConnection(runtime)
  const transport = new LineTransport(input, output, problems)
  const deps = createDeps({ runtime, stateDir })
  const handle = serveStdio(() => createServer(deps, connection, problems), {
    transport,
    onerror: (error) => tell(error.message),
  })
  const stopLooking = keepLooking(runtime)
  signal.addEventListener('abort', () => void handle.close(), { once: true })
  if (signal.aborted) await handle.close()
  await transport.closed
  stopLooking()
  await handle.close()
  await connection.close()
  return 0
}
