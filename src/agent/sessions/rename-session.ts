import type { Actor } from '../../core/call.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { formatTitle } from './title.ts'

/** Gives a session a title, and returns it as it is shown. */
export async function renameSession(
  runtime: Runtime,
  session: string,
  text: string,
  actor: Actor | null,
): Promise<string> {
  const title = formatTitle(text)
  const { log, digest } = await runtime.converse(session)
  const bytes = new TextEncoder().encode(title)
  const name = digest(bytes)
  log.append({
    entries: [{ kind: 'titled', title: name, actor }],
    payloads: new Map([[name, bytes]]),
    reliance: 'durable',
  })
  return title
}
