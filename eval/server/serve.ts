import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnswerSource } from './answer-source.ts'
import { answerIn, bytesOf, objectOf, streamOf } from './chat.ts'
import type { Answer } from './chat.ts'

/** What is known of one request of a runner. */
export interface Exchange {
  /** The bytes of its body as sent. */
  readonly bytes: number
  /** What it was answered; null if it was interrupted, or if there was nothing to answer. */
  answer: Answer | null
  /** The bytes of the answer. */
  bytesOut: number
}

/** Where answers come from: from a source of ours, or from a provider that everything is passed on to. */
export type Backend =
  | { readonly kind: 'source'; readonly source: AnswerSource }
  | { readonly kind: 'provider'; readonly baseUrl: string }

export interface EvalServer {
  /** To be used as the base URL of a provider. */
  readonly url: string
  readonly exchanges: readonly Exchange[]
  /** How long requests have waited for their answers so far. */
  readonly answeringMs: () => number
  readonly close: () => void
}

const CONTEXT_TOKENS = 200_000
const HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding'])

/**
 * A model server on the loopback address that counts what it is sent. `admit` is called with the number of a request and its body
 * before it is answered; false leaves it without an answer, because its runner is about to be interrupted.
 */
export async function serve(
  backend: Backend,
  admit: (index: number, body: string) => boolean,
): Promise<EvalServer> {
  const exchanges: Exchange[] = []
  let answeringMs = 0
  const answerWith = async (body: string, response: ServerResponse, how: Incoming): Promise<void> => {
    const index = exchanges.length
    const exchange: Exchange = { bytes: Buffer.byteLength(body), answer: null, bytesOut: 0 }
    exchanges.push(exchange)
    if (!admit(index, body)) return
    const begin = performance.now()
    const answered =
      backend.kind === 'source'
        ? await answerFrom(backend.source, index, body, response)
        : await passOn(backend.baseUrl, how, body, response)
    answeringMs += performance.now() - begin
    exchange.answer = answered.answer
    exchange.bytesOut = answered.bytes
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const how = { path: (request.url ?? '').replace(/^\/v1/, ''), headers: request.headers }
      if (request.method === 'POST') void answerWith(body, response, how)
      else listModels(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    exchanges,
    answeringMs: () => answeringMs,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Incoming {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

interface Answered {
  readonly answer: Answer | null
  readonly bytes: number
}

async function answerFrom(
  source: AnswerSource,
  index: number,
  body: string,
  response: ServerResponse,
): Promise<Answered> {
  const answer = await source(body, index)
  if (answer === null) {
    response.writeHead(400, { 'content-type': 'application/json' })
    const message = `The recording has no answer for request ${index + 1}: the work has taken another way.`
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
    return { answer, bytes: 0 }
  }
  const isStream = (JSON.parse(body) as { readonly stream?: boolean }).stream === true
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end((isStream ? streamOf : objectOf)(answer, Buffer.byteLength(body)))
  return { answer, bytes: bytesOf(answer) }
}

/** Passes a request on and its answer back as it comes; only chat completions are read as an answer that can be recorded. */
async function passOn(
  baseUrl: string,
  { path, headers }: Incoming,
  body: string,
  response: ServerResponse,
): Promise<Answered> {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    HOP_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
  )
  try {
    const reply = await fetch(baseUrl + path, { method: 'POST', headers: sent, body })
    response.writeHead(reply.status, {
      'content-type': reply.headers.get('content-type') ?? 'application/json',
    })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) {
      response.write(chunk)
      text += decoder.decode(chunk, { stream: true })
    }
    response.end()
    const answer = path.endsWith('/chat/completions') && reply.ok ? answerIn(text) : null
    return { answer, bytes: answer === null ? outputBytesIn(text) : bytesOf(answer) }
  } catch {
    response.destroy()
    return { answer: null, bytes: 0 }
  }
}

/** What a provider of another form counted, as bytes by our measure. */
function outputBytesIn(text: string): number {
  const counts = [...text.matchAll(/"(?:output_tokens|candidatesTokenCount)":\s*(\d+)/g)]
  return Number(counts.at(-1)?.[1] ?? 0) * 4
}

function listModels(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const model = { id: 'eval', object: 'model', max_model_len: CONTEXT_TOKENS }
  response.end(JSON.stringify({ object: 'list', data: [model] }))
}
