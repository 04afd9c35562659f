import { Agent as PlainAgent, request as requestPlain } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { isSameAddress } from '../../core/web/ip-address.ts'
import type { WebAddress } from '../../core/web/web-address.ts'
import { ACCEPTED_ENCODINGS } from './read-body.ts'

/** The beginning of an answer, and the IP address it came from. */
export interface ServerAnswer {
  readonly response: IncomingMessage
  readonly ip: string
}

/** More than real servers send; the parser ends a longer head with an error. */
const MOST_HEADER_BYTES = 65_536
const ACCEPT =
  'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,application/xml;q=0.9,*/*;q=0.5'

/**
 * Sends one GET request to one of the given IP addresses, which are the only ones it can connect to: the name is not
 * looked up again. It takes no proxy, keeps no connection and sends nothing about the user.
 */
export function askServer(
  address: WebAddress,
  ips: readonly string[],
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const isSecure = address.scheme === 'https'
  const options: RequestOptions = {
    // Agents of their own: the usual ones may have been told to use a proxy, and would keep connections.
    agent: isSecure ? new SecureAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false }),
    host: address.host,
    port: address.port,
    path: address.path,
    method: 'GET',
    headers: {
      accept: ACCEPT,
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': 'Tongs (web_fetch)',
      connection: 'close',
    },
    maxHeaderSize: MOST_HEADER_BYTES,
    insecureHTTPParser: false,
    lookup: pinned(ips),
    signal,
  }
  const { promise, resolve, reject } = Promise.withResolvers<ServerAnswer>()
  const asked = isSecure
    ? // Said explicitly, because a variable of the environment can switch the check off.
      requestSecure({ ...options, rejectUnauthorized: true })
    : requestPlain(options)
  asked.on('response', (response) => {
    const ip = response.socket.remoteAddress ?? ''
    if (ips.some((known) => isSameAddress(known, ip))) return resolve({ response, ip })
    response.destroy()
    reject(failure('execution_failed', `The connection to ${address.origin} went astray, to ${ip}.`))
  })
  // Nothing but a plain answer is expected.
  asked.on('upgrade', (_response, socket) => {
    socket.destroy()
    reject(failure('execution_failed', `${address.origin} answered in another protocol than was asked for.`))
  })
  asked.on('error', (error) => reject(signal.aborted ? signal.reason : explain(error, address)))
  asked.end()
  return promise
}

/** Answers with the addresses that were checked, whatever is asked. */
function pinned(ips: readonly string[]): LookupFunction {
  const all = ips.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, done) => {
    const [first] = all
    if (options.all === true) done(null, all)
    else if (first === undefined) done(new Error('no address'), '')
    else done(null, first.address, first.family)
  }
}

function explain(error: Error, { origin }: WebAddress): ToolFailure {
  const code = 'code' in error ? String(error.code) : error.message
  const known = REASONS.find(([pattern]) => pattern.test(code))
  return failure(
    'execution_failed',
    `${origin} could not be fetched from: ${known?.[1] ?? 'the connection failed'} (${code.slice(0, 80)}).`,
    { origin, reason: code.slice(0, 80) },
    ['Check the address, or try later.'],
  )
}

const REASONS = [
  [/^ECONNREFUSED$/, 'nothing answers there'],
  [/^E(?:NETUNREACH|HOSTUNREACH|ADDRNOTAVAIL)$/, 'there is no way to it from here'],
  [/^ETIMEDOUT$/, 'it did not answer'],
  [/^HPE_HEADER_OVERFLOW$/, 'the head of its answer is too long'],
  [/^(?:HPE_|ERR_INVALID|ERR_UNESCAPED)/, 'its answer is not valid HTTP'],
  [
    /^(?:CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL)/,
    'its certificate or encryption is not valid',
  ],
] as const
