/** The largest message that is read from a server. */
export const MOST_MESSAGE_BYTES = 8 * 1024 * 1024

const NEWLINE = 0x0a
const RETURN = 0x0d

/** How much of an answer is read. */
export interface BodyLimits {
  /** Of one message of a stream, or of all of any other body. */
  readonly mostBytes?: number
  /** Of all messages of a stream together; without a limit if absent, for a stream that goes on for as long as it is open. */
  readonly mostInAll?: number
  /** Whether the body is a stream of events; if absent, what its type says. */
  readonly isStream?: (response: Response) => boolean
}

/** A server sent more than is read. */
export class BodyTooLongError extends Error {
  constructor(what: string, mostBytes: number) {
    super(`the server sent ${what} of more than ${mostBytes} bytes`)
    this.name = 'BodyTooLongError'
  }
}

/**
 * Fetches without following redirects, which would take headers along, and ends a body that is too long: one message of a
 * stream of events, all of them, or all of any other body.
 */
export async function boundedFetch(
  url: string | URL | Request,
  init?: RequestInit,
  { mostBytes = MOST_MESSAGE_BYTES, mostInAll = Infinity, isStream = isEventStream }: BodyLimits = {},
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.body === null) return response
  const hasMessages = isStream(response)
  let bytes = 0
  let inAll = 0
  let isLineEmpty = true
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      inAll += chunk.length
      if (inAll > mostInAll) return controller.error(new BodyTooLongError('an answer', mostInAll))
      for (const byte of chunk) {
        bytes += 1
        if (hasMessages && byte === NEWLINE && isLineEmpty) bytes = 0
        if (byte !== RETURN) isLineEmpty = byte === NEWLINE
        if (bytes > mostBytes) return controller.error(new BodyTooLongError('a message', mostBytes))
      }
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.includes('text/event-stream') ?? false
}
