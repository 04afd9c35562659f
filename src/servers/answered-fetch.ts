import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { failedAnswer, readFrame } from '../wire/json-rpc/frame.ts'
import { readServerFrame } from './read-server-frame.ts'

/** Fetches as the library wants it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What is known of the answer to a request while it comes in. */
interface Asked {
  readonly id: string | number
  isAnswered: boolean
  /** Whether the server can be asked for the rest of its answer. */
  isResumable: boolean
  /** What was wrong with what it sent instead, if anything came. */
  fault: string | null
}

const INTERNAL_ERROR = -32_603
/** Marks an error that stands for an answer which did not come, or is none. */
const NO_ANSWER = { tongs: 'no answer' }

/** An answer of ours in the place of one that cannot be used. */
export function withNoAnswer(answer: JsonObject): JsonObject {
  const { error } = answer
  return isJsonObject(error) ? { ...answer, error: { ...error, data: NO_ANSWER } } : answer
}

/** Whether an error of the library, by its data, is one of ours and not the server's. */
export function isNoAnswer(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'tongs' in data && data.tongs === NO_ANSWER.tongs
}

/**
 * Sees to it that a request over HTTP is answered: the library passes over what is malformed, and the request would end by
 * its timeout. An answer that is none becomes an error that says what is wrong with it, and so does an answer that ends
 * without one.
 */
export function answeredFetch(send: Fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, init)
    const id = requestIn(init)
    if (id === null || !response.ok) return response
    const asked: Asked = { id, isAnswered: false, isResumable: false, fault: null }
    const type = response.headers.get('content-type') ?? ''
    if (response.body !== null && type.includes('text/event-stream'))
      return withBody(response, ReadableStream.from(checkEvents(response.body, asked)))
    if (type.includes('application/json')) return withBody(response, await checkBody(response, asked))
    if (type !== '' && response.status !== 202) return response
    asked.fault = `it was answered with status ${response.status} and no content`
    await response.body?.cancel()
    return new Response(errorFor(asked), { status: 200, headers: { 'content-type': 'application/json' } })
  }
}

/** The id of the request that is sent; null if nothing is sent that wants an answer. */
function requestIn(init: RequestInit | undefined): string | number | null {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return null
  const frame = readFrame(init.body)
  const { id, method } = frame.ok ? frame.message : {}
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null
}

function withBody(
  { status, statusText, headers }: Response,
  body: string | ReadableStream<Uint8Array>,
): Response {
  const kept = new Headers(headers)
  kept.delete('content-length')
  return new Response(body, { status, statusText, headers: kept })
}

/** A body that is one message. */
async function checkBody(response: Response, asked: Asked): Promise<string> {
  try {
    const checked = check(await response.text(), asked)
    if (asked.isAnswered) return checked
  } catch (error) {
    asked.fault = wordsOf(error)
  }
  return errorFor(asked)
}

/** A body that is a stream of events, one message in each. */
async function* checkEvents(body: ReadableStream<Uint8Array>, asked: Asked): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n\r\n|\n\n|\r\r(?!\n)/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield utf8.encode(`${checkEvent(block, asked)}\n\n`)
    }
  } catch (error) {
    if (asked.isAnswered || asked.isResumable) throw error
    asked.fault = wordsOf(error)
  }
  if (!asked.isAnswered && !asked.isResumable) yield utf8.encode(`data: ${errorFor(asked)}\n\n`)
}

/** An event with its message checked; the other fields stay as they are. */
function checkEvent(block: string, asked: Asked): string {
  const lines = block.split(/\r\n|\n|\r/)
  if (lines.some((line) => line.startsWith('id:') && valueOf(line) !== '')) asked.isResumable = true
  const data = lines.filter((line) => line.startsWith('data:'))
  if (data.length === 0) return block
  const message = data.map(valueOf).join('\n')
  const checked = check(message, asked)
  if (checked === message) return block
  return [...lines.filter((line) => !line.startsWith('data:')), `data: ${checked}`].join('\n')
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^ /, '')
}

/** A message as it is, or the error in its place if it means to be an answer and is none. */
function check(text: string, asked: Asked): string {
  const frame = readServerFrame(text)
  if (frame.ok) {
    const { id, method } = frame.message
    if (method === undefined && id === asked.id) asked.isAnswered = true
    return frame.isAltered === true ? JSON.stringify(frame.message) : text
  }
  const { error } = frame.answer
  asked.fault = isJsonObject(error) ? String(error['message']) : null
  const failed = failedAnswer(frame)
  if (failed === null) return text
  if (frame.answers === asked.id) asked.isAnswered = true
  return JSON.stringify(withNoAnswer(failed))
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function errorFor({ id, fault }: Asked): string {
  const why = fault === null ? '' : `: ${fault.replace(/\.$/, '')}`
  const message = `The server has not answered the request${why}.`
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: NO_ANSWER } })
}
