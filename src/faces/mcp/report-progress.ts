import type { ServerContext } from '@modelcontextprotocol/server'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { redactForRecord } from '../../core/text/secrets/redact.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'

/** The least time between two reports. */
const REST_MS = 250
const MOST_CHARS = 200

/** Who is told of what happens in a call. */
export interface ProgressReport {
  /** Empty if nobody is told, so that nothing is watched. */
  readonly hooks: { readonly onEvent?: (event: LiveEvent) => void }
  readonly stop: () => void
}

const NOBODY: ProgressReport = { hooks: {}, stop: () => undefined }

/** Tells a client that asked for it how a call gets on: the last line of its output, or how much of it has landed. */
export function reportProgress(ctx: ServerContext): ProgressReport {
  const { _meta: meta } = ctx.mcpReq
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return NOBODY
  let progress = 0
  let message = ''
  let timer: NodeJS.Timeout | undefined
  const send = (): void => {
    timer = undefined
    progress += 1
    const params = { progressToken, progress, message }
    // A client that is gone is noticed by the transport.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  const onEvent = (event: LiveEvent): void => {
    const words = wordsFor(event)
    if (words === null) return
    message = words
    timer ??= setTimeout(send, progress === 0 ? 0 : REST_MS)
  }
  return { hooks: { onEvent }, stop: () => clearTimeout(timer) }
}

function wordsFor(event: LiveEvent): string | null {
  if (event.event === 'landing') return `${event.done} of ${event.total} files are in place`
  if (event.event !== 'output') return null
  const last = event.chunk.trimEnd().split('\n').at(-1) ?? ''
  return last === '' ? null : shown(last).slice(0, MOST_CHARS)
}

/** The client may hand this to its model. */
function shown(line: string): string {
  return sanitise(redactForRecord(line), { oneLine: true, showSequences: true })
}
