import { boundedFetch } from '../../host/web/bounded-fetch.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { askLoopback } from '../../host/system/loopback.ts'
import { plainUrl } from '../model-spec.ts'
import type { ProviderName } from '../providers.ts'
import { PROVIDERS } from '../providers.ts'
import { contextWindowOf } from './context-windows.ts'

/** A model that a server offers. */
export interface ListedModel {
  /** As in `anthropic/NAME`. */
  readonly spec: string
  /** Null if the server and the table do not tell. */
  readonly contextTokens: number | null
}

/** What a server said to the question for its models. */
export type ModelList =
  | { readonly is: 'listed'; readonly models: readonly ListedModel[] }
  | {
      readonly is: 'failed'
      readonly why: 'auth' | 'network' | 'silent' | 'busy' | 'no_list' | 'unreadable'
      /** What happened, to what, and what to do. */
      readonly message: string
    }

/** Whom to ask. */
export interface ListRequest {
  readonly provider: ProviderName
  /** A server other than the provider's own. */
  readonly baseUrl: string | null
  readonly key: string | null
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const MAX_MODELS = 5_000
/** Models that answer with something else than text; their providers list them all together. */
const NOT_FOR_TALK =
  /embed|tts|whisper|dall-e|image|audio|realtime|moderation|transcribe|davinci|babbage|sora|veo|imagen|aqa|search-preview|rerank/i

interface Answered {
  readonly status: number
  readonly json: unknown
}

/** Asks a provider or a server for its models with one request, which also tells whether it accepts the key. */
export async function listModels(request: ListRequest): Promise<ModelList> {
  const url = `${plainUrl(request.baseUrl ?? PROVIDERS[request.provider].baseUrl ?? '')}/models`
  const host = URL.parse(url)?.host ?? url
  const { timeoutMs = TIMEOUT_MS } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  let answer: Answered
  try {
    answer = await ask(url, request, AbortSignal.any([request.signal, timeout]), timeoutMs)
  } catch (thrown) {
    if (timeout.aborted)
      return failed('silent', `${host} did not answer within ${timeoutMs / 1000} s. Try again later.`)
    const advice = 'Check the network connection, and the address of the server.'
    return failed('network', `${host} cannot be reached${reasonOf(thrown)}. ${advice}`)
  }
  return judge(answer, host, request)
}

async function ask(
  url: string,
  request: ListRequest,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answered> {
  const headers = headersFor(request)
  const { query, hostname, port, protocol, pathname } = partsOf(url, request.provider)
  if (protocol === 'http:' && isLoopback(hostname)) {
    const path = `${pathname}${query}`
    const answer = await askLoopback({ port: Number(port || 80), path, headers, signal, timeoutMs })
    if (answer === null) throw new Error('no answer')
    return answer
  }
  // Redirects are refused: a key header would follow them to another host.
  const response = await boundedFetch(`${url}${query}`, { headers, signal })
  const text = await response.text()
  return { status: response.status, json: parse(text) }
}

function partsOf(url: string, provider: ProviderName) {
  const { hostname = '', port = '', protocol = '', pathname = '' } = URL.parse(url) ?? {}
  const query = provider === 'anthropic' ? '?limit=1000' : provider === 'google' ? '?pageSize=1000' : ''
  return { hostname, port, protocol, pathname, query }
}

/** Whether a host name is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1'
}

function headersFor({ provider, key }: ListRequest): Readonly<Record<string, string>> {
  if (key === null) return {}
  if (provider === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return provider === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

function judge({ status, json }: Answered, host: string, request: ListRequest): ModelList {
  const { key } = request
  if (status === 401 || status === 403 || (status === 400 && isAboutKey(json)))
    return failed(
      'auth',
      key === null
        ? `${host} wants a key (it answered ${status}).`
        : `${host} does not accept this key (it answered ${status}).`,
    )
  if (status === 404 || status === 405 || status === 501)
    return failed('no_list', `${host} has no list of models (it answered ${status}). Type a name.`)
  if (status === 429 || status >= 500) return failed('busy', `${host} answered ${status}. Try again later.`)
  const models = status >= 200 && status < 300 ? readModels(json, request) : null
  if (models !== null) return { is: 'listed', models }
  return failed(
    'unreadable',
    `${host} answered (${status}), and not with a list of models. Check the address, or type a name.`,
  )
}

/** One provider answers a wrong key with a status for bad requests. */
function isAboutKey(json: unknown): boolean {
  return /api.?key/i.test(JSON.stringify(json ?? ''))
}

function readModels(json: unknown, request: ListRequest): readonly ListedModel[] | null {
  if (!isJsonObject(json)) return null
  const rows = Array.isArray(json['data']) ? json['data'] : json['models']
  if (!Array.isArray(rows)) return null
  return rows.slice(0, MAX_MODELS).flatMap((row: unknown) => readModel(row, request))
}

function readModel(row: unknown, { provider, baseUrl }: ListRequest): readonly ListedModel[] {
  if (!isJsonObject(row)) return []
  const { id, name, supportedGenerationMethods: methods } = row
  const given = typeof id === 'string' ? id : typeof name === 'string' ? name.replace(/^models\//, '') : ''
  if (!/^[^\s\p{Cc}]{1,200}$/u.test(given)) return []
  if (Array.isArray(methods) && !methods.includes('generateContent')) return []
  if (provider !== 'compatible' && NOT_FOR_TALK.test(given)) return []
  const spec = `${provider}/${given}`
  return [{ spec, contextTokens: contextIn(row) ?? windowByName(spec, baseUrl) }]
}

/**
 * The context window that the name of a model tells. A server on this machine decides by itself how much of it there is,
 * often far less, and some cut requests without a word; so for those a name tells nothing.
 */
export function windowByName(spec: string, baseUrl: string | null): number | null {
  const isLocal = baseUrl !== null && isLoopback(URL.parse(baseUrl)?.hostname ?? '')
  return isLocal && spec.startsWith('compatible/') ? null : contextWindowOf(spec)
}

/** Servers have different names for it. */
const CONTEXT_NAMES = [
  'max_model_len',
  'loaded_context_length',
  'context_length',
  'context_window',
  'inputTokenLimit',
  'max_input_tokens',
  'max_context_length',
]

function contextIn(row: Readonly<Record<string, unknown>>): number | null {
  const found = CONTEXT_NAMES.map((name) => row[name]).find((value) => isCount(value))
  return typeof found === 'number' ? found : null
}

/** Whether a value is a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100_000_000
}

function failed(why: Extract<ModelList, { is: 'failed' }>['why'], message: string): ModelList {
  return { is: 'failed', why, message }
}

/** A code such as ENOTFOUND; messages of the network could quote what was sent. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : null
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
