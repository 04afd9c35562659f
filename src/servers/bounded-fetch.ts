import { MOST_MESSAGE_BYTES } from './line-transport.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Fetches without following redirects, which would take headers along, and ends a body that is too long: one message of a
 * stream of events, or all of any other body.
 */
export async function boundedFetch(
  url: string | URL,
  init?: RequestInit,
  mostBytes = MOST_MESSAGE_BYTES,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  let bytes = 0
  let isLineEmpty = true
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes += 1
        if (isStream && byte === NEWLINE && isLineEmpty) bytes = 0
        if (byte !== RETURN) isLineEmpty = byte === NEWLINE
        if (bytes <= mostBytes) continue
        controller.error(new Error(`the server sent a message of more than ${mostBytes} bytes`))
        return
      }
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}
