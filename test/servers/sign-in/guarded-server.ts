import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cleanUpWith } from '../../harness/clean-up.ts'

/** What an authorization server does otherwise than it should. */
export interface Tricks {
  /** Fields of its metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Fields of the metadata of the MCP server. */
  readonly resource?: Readonly<Record<string, unknown>>
  /** Parameters of the way back to the client; null leaves one out. */
  readonly callback?: Readonly<Record<string, string | null>>
  readonly hugeTokens?: boolean
  readonly noRefresh?: boolean
  /** Where the metadata leads instead of being answered. */
  readonly moved?: string
  /** What calls need besides. */
  readonly scopeOfCalls?: string
  /** What each call needs besides, another thing each time. */
  readonly scopeOfNextCall?: () => string
  /** What it waits for before it renews a token. */
  readonly beforeRenewing?: () => Promise<unknown>
  /** The access token that it gives, instead of one of its own. */
  readonly token?: string
}

/** An MCP server and the authorization server beside it. */
export interface GuardedServer {
  readonly url: string
  readonly origin: string
  /** What was asked, by path, and with which authorization. */
  readonly seen: { readonly path: string; readonly authorization: string; readonly body: string }[]
  /** The tokens that are good now. */
  readonly good: Set<string>
  readonly issued: string[]
}

/** Listens on a free port of loopback. */
export async function listenOn(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => answer(request, response, body))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  cleanUpWith(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

/** Opens one. Its token endpoint checks the code, its proof and the way back, as a real one does. */
export async function openGuarded(tricks: Tricks = {}): Promise<GuardedServer> {
  const seen: GuardedServer['seen'] = []
  const good = new Set<string>()
  const issued: string[] = []
  const codes = new Map<
    string,
    { readonly challenge: string; readonly back: string; readonly scope: string }
  >()
  const refreshers = new Set<string>()
  const scopes = new Map<string, string>()

  const issue = (response: ServerResponse, scope: string): void => {
    const [access, refresh] = [tricks.token ?? `access-${randomUUID()}`, `refresh-${randomUUID()}`]
    good.add(access)
    issued.push(access, refresh)
    refreshers.add(refresh)
    scopes.set(access, scope)
    const refreshing = tricks.noRefresh === true ? {} : { refresh_token: refresh }
    const padding = tricks.hugeTokens === true ? { padding: 'x'.repeat(4_000_000) } : {}
    json(response, 200, { access_token: access, token_type: 'Bearer', ...refreshing, ...padding })
  }

  const origin = await listenOn((request, response, body) => {
    const url = new URL(request.url ?? '/', origin)
    const { authorization = '' } = request.headers
    seen.push({ path: url.pathname, authorization, body })
    if (url.pathname === '/mcp') return answerMcp(request, response, body, authorization)
    if (tricks.moved !== undefined && url.pathname.startsWith('/.well-known/'))
      return void response.writeHead(302, { location: tricks.moved }).end()
    if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(response, 200, {
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        ...tricks.resource,
      })
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        ...atOwnHost(tricks.metadata ?? {}, new URL(origin).host),
      })
    if (url.pathname === '/register') {
      const wanted: unknown = JSON.parse(body)
      return json(response, 201, { client_id: 'client-1', ...(wanted as object) })
    }
    if (url.pathname === '/authorize') return authorize(url, response)
    if (url.pathname === '/token') return redeem(new URLSearchParams(body), response)
    response.writeHead(404).end()
  })

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const code = `code-${randomUUID()}`
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    codes.set(code, {
      challenge: searchParams.get('code_challenge') ?? '',
      back: back.href,
      scope: searchParams.get('scope') ?? '',
    })
    back.searchParams.set('code', code)
    back.searchParams.set('state', searchParams.get('state') ?? '')
    for (const [name, value] of Object.entries(tricks.callback ?? {}))
      if (value === null) back.searchParams.delete(name)
      else back.searchParams.set(name, value)
    response.writeHead(302, { location: back.href }).end()
  }

  function redeem(form: URLSearchParams, response: ServerResponse): void {
    if (form.get('grant_type') === 'refresh_token') {
      const refresh = form.get('refresh_token') ?? ''
      if (!refreshers.delete(refresh)) return json(response, 400, { error: 'invalid_grant' })
      void (tricks.beforeRenewing?.() ?? Promise.resolve()).then(() => issue(response, ''))
      return
    }
    const kept = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (kept === undefined || kept.challenge !== proof || kept.back !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' })
    issue(response, kept.scope)
  }

  function answerMcp(
    { method }: IncomingMessage,
    response: ServerResponse,
    body: string,
    authorization: string,
  ): void {
    const token = authorization.replace('Bearer ', '')
    if (!good.has(token)) {
      const at = `${origin}/.well-known/oauth-protected-resource/mcp`
      response.setHeader('www-authenticate', `Bearer resource_metadata="${at}"`)
      return json(response, 401, { error: 'invalid_token' })
    }
    if (method !== 'POST') return void response.writeHead(405).end()
    const {
      id,
      method: asked,
      params,
    } = JSON.parse(body) as {
      readonly id?: number
      readonly method: string
      readonly params?: { readonly arguments?: { readonly value?: string } }
    }
    if (id === undefined) return void response.writeHead(202).end()
    const isCall = asked === 'tools/call'
    const scopeOfCalls = (isCall ? tricks.scopeOfNextCall?.() : undefined) ?? tricks.scopeOfCalls ?? ''
    if (isCall && !(scopes.get(token) ?? '').includes(scopeOfCalls)) {
      response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${scopeOfCalls}"`)
      return json(response, 403, {})
    }
    json(response, 200, { jsonrpc: '2.0', id, ...mcpAnswers(params?.arguments?.value ?? '')[asked] })
  }

  return { url: `${origin}/mcp`, origin, seen, good, issued }
}

/** `ORIGIN` in what a trick says stands for the host of the server, which is known only once it listens. */
const atOwnHost = (fields: Readonly<Record<string, unknown>>, host: string): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('ORIGIN', host) : value,
    ]),
  )

const TOOLS = [
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', properties: { value: { type: 'string' } } },
  },
]

function mcpAnswers(value: string): Readonly<Record<string, object>> {
  const unknown = { error: { code: -32_601, message: 'Method not found' } }
  const info = { name: 'guarded', version: '1' }
  return {
    initialize: { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info } },
    'tools/list': { result: { tools: TOOLS } },
    'tools/call': { result: { content: [{ type: 'text', text: value }] } },
    'server/discover': unknown,
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
