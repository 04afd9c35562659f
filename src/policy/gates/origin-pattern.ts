import { ORIGIN } from '../../config/kinds/collection-kinds.ts'
import { closedUse, isIpAddress } from '../../core/web/ip-address.ts'
import type { WebAddress } from '../../core/web/web-address.ts'

/** Which origins an entry of the configuration stands for. */
export interface OriginPattern {
  /** Null stands for both schemes, and then also for every port if none is given. */
  readonly scheme: 'http' | 'https' | null
  /** A name, an IP address, `*.` and a name for everything below it, or `*` for every host. */
  readonly host: string
  readonly port: number | null
}

const DEFAULT_PORT = { http: 80, https: 443 } as const

/** Reads an entry; null if it is not one. Names beyond ASCII are written as they are looked up, with `xn--`. */
export function readOriginPattern(text: string): OriginPattern | null {
  const [, scheme, written, port] = ORIGIN.exec(text.toLowerCase()) ?? []
  if (written === undefined) return null
  const host = plainHost(written)
  if (host === null || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null
  const named = scheme === 'http' || scheme === 'https' ? scheme : null
  return { scheme: named, host, port: port === undefined ? null : Number(port) }
}

/** The one spelling of a host: systems read `127.1` and `0x7f000001` as addresses too. */
function plainHost(written: string): string | null {
  if (written.startsWith('*')) return written
  const url = URL.parse(`http://${written}`)
  return url === null ? null : url.hostname.replaceAll(/^\[|\]$/g, '')
}

/** Whether an entry stands for the origin of an address. */
export function matchesOrigin(
  { scheme, host, port }: OriginPattern,
  address: Pick<WebAddress, 'scheme' | 'host' | 'port'>,
): boolean {
  if (scheme !== null && scheme !== address.scheme) return false
  const wanted = port ?? (scheme === null ? null : DEFAULT_PORT[scheme])
  if (wanted !== null && wanted !== address.port) return false
  if (host === '*' || host === address.host) return true
  return host.startsWith('*.') && !isIpAddress(address.host) && address.host.endsWith(host.slice(1))
}

/** Whether any entry of a list does; an entry that cannot be read stands for nothing. */
export function isListedOrigin(
  entries: readonly string[],
  address: Pick<WebAddress, 'scheme' | 'host' | 'port'>,
): boolean {
  return entries.some((entry) => {
    const pattern = readOriginPattern(entry)
    return pattern !== null && matchesOrigin(pattern, address)
  })
}

/** Why a host is off the public internet, if that can be said without looking its name up. */
export function closedHost({ host }: Pick<WebAddress, 'host'>): string | null {
  if (isIpAddress(host)) return closedUse(host)
  return host === 'localhost' || host.endsWith('.localhost') ? 'loopback' : null
}
