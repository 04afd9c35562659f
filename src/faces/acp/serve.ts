import type { Readable, Writable } from 'node:stream'
import type { AcpServing } from '../../runtime/acp-serving.ts'
import { createAgent } from './agent-app.ts'
import { openLineStream } from './line-stream.ts'
import { SessionTable } from './session-table.ts'

/** Serves the editor at the standard streams until it goes; returns the exit code. */
export function serveAcp(serving: AcpServing): Promise<number> {
  return serveStreams(serving, process.stdin, process.stdout)
}

/** Serves one client, whose messages are lines. */
export async function serveStreams(serving: AcpServing, input: Readable, output: Writable): Promise<number> {
  const { stream, closed, close, onceAnswered } = openLineStream(input, output)
  const sessions = new SessionTable(serving)
  const connection = createAgent(serving, sessions, onceAnswered).connect(stream)
  serving.signal.addEventListener('abort', close, { once: true })
  if (serving.signal.aborted) close()
  await closed
  // Questions that are open keep waiting, and everything else that runs is stopped. Only then the connection ends.
  await sessions.close()
  connection.close()
  return 0
}
