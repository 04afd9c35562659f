import { isJsonObject, parseJson } from '../core/json/value.ts'
import { redactSecrets } from '../core/text/secrets/redact.ts'
import { systemClock } from '../host/system/clock.ts'
import { BodyTooLongError } from '../host/web/bounded-fetch.ts'
import { isLoopback } from './catalog/list-models.ts'
import { ModelError } from './model-client.ts'

const MAX_MESSAGE_CHARS = 500
const MAX_BODY_CHARS = 4_000
const MOST_CAUSES = 8

/** Used instead of the packages' messages, which quote the stream or say that a success failed. */
const TORN = 'the answer broke off, or could not be read.'

/** How providers say that the context window is exceeded. */
const TOO_LONG =
  /context.?(?:length|window|size)|(?:prompt|input|request) is too (?:long|large)|too many (?:input )?tokens|token count|context.{0,20}overflow|reduce the length of the messages/i

/** Errors within a stream have no status, and so no better code than `other`. */
const SIZE_CODES: ReadonlySet<ModelError['code']> = new Set(['bad_request', 'other'])

/** How providers speak of a picture or document that they cannot use. */
const ATTACHED = /image|picture|media.?type|document|pdf|\bfile|vision|multi-?modal|inline_?data/i

/** What is known about a client, for its errors. */
export interface ErrorContext {
  readonly model: string
  /** The environment variable that the key came from, or null if there is none. */
  readonly keyName: string | null
  /** A server other than the provider's own. */
  readonly baseUrl?: string | null
  /** Values that no message may show. */
  readonly secrets: readonly string[]
}

/** Turns anything that a provider package throws into a ModelError. */
export function explainFailure(thrown: unknown, context: ErrorContext): ModelError {
  if (thrown instanceof ModelError) return thrown
  const tooLong = findTooLong(thrown)
  if (tooLong !== null)
    return new ModelError(
      'torn_stream',
      `${context.model}: ${tooLong.message}, so the answer was not read. Try again later.`,
    )
  const facts = isRecord(thrown) ? thrown : {}
  const status = readStatus(facts)
  const code = readCode(facts, status)
  const where = status === null ? context.model : `${context.model} answered ${status}`
  const said =
    code === 'torn_stream' ? TORN : shorten(redactSecrets(readMessage(thrown, facts), context.secrets))
  const isTooLong = status === 413 || (SIZE_CODES.has(code) && says(TOO_LONG, said, facts))
  const isAboutAttached = code === 'bad_request' && says(ATTACHED, said, facts)
  const message = `${where}: ${said}${adviceFor(code, isTooLong, context)}`
  return new ModelError(code, message, readRetryAfter(facts), isTooLong, isAboutAttached)
}

/** Packages wrap what ended the body that they read. */
function findTooLong(thrown: unknown, depth = 0): BodyTooLongError | null {
  if (thrown instanceof BodyTooLongError) return thrown
  return isRecord(thrown) && depth < MOST_CAUSES ? findTooLong(thrown['cause'], depth + 1) : null
}

/** Looks into the body as well, which packages do not quote if it has another form than they expect. */
function says(
  what: RegExp,
  said: string,
  { code, responseBody }: Readonly<Record<string, unknown>>,
): boolean {
  const body = typeof responseBody === 'string' ? responseBody.slice(0, MAX_BODY_CHARS) : ''
  return what.test(`${said} ${String(code ?? '')} ${body}`)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function readStatus(facts: Readonly<Record<string, unknown>>): number | null {
  const { statusCode, code } = facts
  const status = typeof statusCode === 'number' ? statusCode : Number(code ?? Number.NaN)
  // The status of a success that could not be parsed is not worth reporting.
  return status >= 300 && status <= 599 ? status : null
}

function readCode(facts: Readonly<Record<string, unknown>>, status: number | null): ModelError['code'] {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate_limited'
  if (status !== null && (status >= 500 || status === 408)) return 'overloaded'
  if (status !== null) return status >= 400 ? 'bad_request' : 'other'
  const words = ['type', 'code', 'errorType', 'errorCode'].map((key) => String(facts[key] ?? '')).join(' ')
  if (/rate_?limit/i.test(words)) return 'rate_limited'
  if (/overloaded|server_error|api_error/i.test(words)) return 'overloaded'
  const name = String(facts['name'] ?? '')
  if (/JSONParse|TypeValidation|InvalidResponse|EmptyResponse|NoContent/.test(name)) return 'torn_stream'
  if (hasHungUp(facts)) return 'torn_stream'
  const isTransport = name === 'TypeError' || name === 'AI_APICallError' || typeof facts['errno'] === 'number'
  // An answer that had started carries the status of its start.
  if (isTransport) return typeof facts['statusCode'] === 'number' ? 'torn_stream' : 'network'
  return 'other'
}

const HUNG_UP = new Set<unknown>(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** A server that hung up before it answered may be back in a moment. */
function hasHungUp(facts: Readonly<Record<string, unknown>>): boolean {
  const { code, cause } = facts
  return HUNG_UP.has(code) || (isRecord(cause) && hasHungUp(cause))
}

function readMessage(thrown: unknown, facts: Readonly<Record<string, unknown>>): string {
  const { message, responseBody } = facts
  const plain = isRecord(thrown) ? 'no reason given' : String(thrown)
  const text = typeof message === 'string' && message !== '' ? message : plain
  const body =
    typeof responseBody === 'string' && !isJsonObject(parseJson(responseBody)) ? ` ${responseBody}` : ''
  return `${text}${body}`
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const cut = line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…` : line
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`
}

const LOCAL_ADVICE = ' Start the server, or choose another model with /model or --model.'

function adviceFor(code: ModelError['code'], isTooLong: boolean, context: ErrorContext): string {
  const { keyName, baseUrl = null } = context
  const isLocal = baseUrl !== null && isLoopback(URL.parse(baseUrl)?.hostname ?? '')
  if (code === 'auth') return ` Check ${keyName ?? 'the key'}, or run tongs setup for another one.`
  if (code === 'network') return isLocal ? LOCAL_ADVICE : ' Check the connection and the base URL.'
  if (code === 'rate_limited' || code === 'overloaded' || code === 'torn_stream') return ' Try again later.'
  if (isTooLong)
    return ' Set model.context_tokens to its context window, so that older messages are shortened in time.'
  return ''
}

/** From the headers, or from the body for the provider that puts it there. */
function readRetryAfter(facts: Readonly<Record<string, unknown>>): number | null {
  const headers = isRecord(facts['responseHeaders']) ? facts['responseHeaders'] : {}
  const [exact, after] = [headers['retry-after-ms'], headers['retry-after']]
  if (typeof exact === 'string' && /^\d+$/.test(exact)) return Number(exact)
  if (typeof after === 'string') {
    if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
    const date = Date.parse(after)
    if (!Number.isNaN(date)) return Math.max(0, date - systemClock.now())
  }
  const delay = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(String(facts['responseBody'] ?? ''))
  return delay === null ? null : Math.ceil(Number(delay[1]) * 1000)
}
