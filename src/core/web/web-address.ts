import { isIpAddress } from './ip-address.ts'

/** An address on the web as it will be asked for: parsed, in one spelling, without a fragment. */
export interface WebAddress {
  /** All of it. */
  readonly href: string
  /** Scheme, host and port, as in `https://example.com`. */
  readonly origin: string
  readonly scheme: 'http' | 'https'
  /** A name, or an IP address without brackets. */
  readonly host: string
  readonly port: number
  /** What the server is asked for: path and query. */
  readonly path: string
}

/** An address that was read, or why it cannot be fetched, as the end of a sentence. */
export type ReadAddress =
  | { readonly ok: true; readonly address: WebAddress }
  | { readonly ok: false; readonly why: string }

/** The longest address that is fetched, in characters. */
export const MOST_ADDRESS_CHARS = 4096

const DEFAULT_PORT = { http: 80, https: 443 } as const
const LAST_SYSTEM_PORT = 1023

/** Ports beyond those of the system on which other protocols wait that a request could be taken for. */
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 10_080, 11_211,
])

/** Reads an address as a caller or a server wrote it; `base` is what a relative one starts from. */
export function readWebAddress(text: string, base?: WebAddress): ReadAddress {
  if (text.length > MOST_ADDRESS_CHARS)
    return refuse(`it has ${text.length} characters, and at most ${MOST_ADDRESS_CHARS} are accepted`)
  // Parsers drop or turn such characters silently, so that another address than the written one would be fetched.
  if (/[\0-\x20\x7f\\]/.test(text)) return refuse('it contains a blank, a backslash or a control character')
  const url = URL.parse(text, base?.href)
  if (url === null) return refuse('it is not a complete URL, such as https://example.com/page')
  const scheme = url.protocol === 'https:' ? 'https' : url.protocol === 'http:' ? 'http' : null
  if (scheme === null) return refuse(`only http and https are fetched, not ${url.protocol.slice(0, 40)}`)
  if (url.username !== '' || url.password !== '')
    return refuse('it contains a user name or password, which would be recorded and sent')
  // `example.com.` is the same host, and must not be a way around a denial.
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  if (!isIpAddress(host) && !isName(host)) return refuse('its host is not a valid name')
  const port = url.port === '' ? DEFAULT_PORT[scheme] : Number(url.port)
  if (!isUsualPort(port)) return refuse(`port ${port} belongs to another protocol`)
  url.hash = ''
  const { href, origin } = url
  return { ok: true, address: { href, origin, scheme, host, port, path: `${url.pathname}${url.search}` } }
}

function isName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,62})$/.test(label))
}

function isUsualPort(port: number): boolean {
  if (port <= LAST_SYSTEM_PORT) return port === DEFAULT_PORT.http || port === DEFAULT_PORT.https
  return !OTHER_PROTOCOLS.has(port)
}

function refuse(why: string): ReadAddress {
  return { ok: false, why }
}
