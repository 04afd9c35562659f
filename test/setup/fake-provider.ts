import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cleanUpWith } from '../harness/clean-up.ts'

/** What a fake server was asked. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server on this machine that answers by its routes; it goes with the test. */
export interface FakeProvider {
  readonly port: number
  readonly url: string
  readonly asked: readonly Asked[]
}

/** A status and a JSON body, text as it is, or no answer at all. */
export type Reply = { readonly status?: number; readonly json?: unknown; readonly text?: string } | 'hang'

type Route = Reply | ((asked: Asked) => Reply)

/** Starts one; what no route names is answered with 404. */
export async function startFakeProvider(routes: Readonly<Record<string, Route>>): Promise<FakeProvider> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const one = { path, headers: request.headers, body }
      asked.push(one)
      const route = routes[path.replace(/\?.*$/, '')]
      const reply = typeof route === 'function' ? route(one) : route
      answer(response, reply ?? { status: 404, json: { error: 'not here' } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUpWith(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, asked }
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return
  const isStream = reply.text?.startsWith('data:') === true
  const type = reply.text === undefined ? 'application/json' : isStream ? 'text/event-stream' : 'text/html'
  response.writeHead(reply.status ?? 200, { 'content-type': type })
  response.end(reply.text ?? JSON.stringify(reply.json))
}

/** A server with OpenAI's API that repeats what it is told, for one key if it wants one. */
export function openAiRoutes(
  models: readonly unknown[],
  key: string | null = null,
): Readonly<Record<string, Route>> {
  const guard =
    (reply: Route): Route =>
    (asked) => {
      if (key !== null && asked.headers.authorization !== `Bearer ${key}`)
        return { status: 401, json: { error: { message: 'invalid key' } } }
      return typeof reply === 'function' ? reply(asked) : reply
    }
  return {
    '/v1/models': guard({ json: { object: 'list', data: models } }),
    '/v1/chat/completions': guard(({ body }) => ({ text: echo(body) })),
  }
}

/** Ollama with its own API and OpenAI's. */
export function ollamaRoutes(models: Readonly<Record<string, unknown>>): Readonly<Record<string, Route>> {
  return {
    ...openAiRoutes([]),
    '/api/tags': { json: { models: Object.keys(models).map((name) => ({ name })) } },
    '/api/show': ({ body }) => ({ json: models[(JSON.parse(body) as { model: string }).model] ?? {} }),
    '/api/ps': { json: { models: [] } },
  }
}

function echo(body: string): string {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: unknown }[] }
  const chunk = (delta: object, end: string | null): string =>
    `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`
  const said = `You said: ${String(messages.at(-1)?.content)}`
  return `${chunk({ content: said }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`
}
