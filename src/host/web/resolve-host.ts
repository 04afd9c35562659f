import { lookup } from 'node:dns/promises'
import { failure } from '../../core/error.ts'
import { closedUse, isIpAddress } from '../../core/web/ip-address.ts'
import type { WebAddress } from '../../core/web/web-address.ts'

/** Finds the IP addresses of a name, in the order in which they should be tried. */
export type LookupHost = (name: string) => Promise<readonly string[]>

/** Asks the system, as every other program does. */
export const lookupHost: LookupHost = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/**
 * The IP addresses to connect to. Unless the user has named the host as a private one, all of them have to be public: a
 * name that also leads elsewhere is refused as a whole.
 */
export async function resolveHost(
  address: WebAddress,
  isPrivate: boolean,
  find: LookupHost,
): Promise<readonly string[]> {
  const { host } = address
  const ips = isIpAddress(host) ? [host] : await findAddresses(host, find)
  if (isPrivate) return ips
  for (const ip of ips) {
    const use = closedUse(ip)
    if (use !== null) throw closed(address, ip, use)
  }
  return ips
}

async function findAddresses(host: string, find: LookupHost): Promise<readonly string[]> {
  let ips: readonly string[]
  try {
    ips = await find(host)
  } catch (error) {
    throw unknownHost(host, (error as NodeJS.ErrnoException).code)
  }
  if (ips.length === 0) throw unknownHost(host)
  const odd = ips.find((ip) => !isIpAddress(ip))
  if (odd !== undefined) throw unknownHost(host, 'an answer that is not an address')
  return ips
}

function unknownHost(host: string, why = 'no address') {
  return failure('execution_failed', `The host ${host} was not found (${why}).`, { host, effects: 'none' }, [
    'Check the name; without network nothing can be fetched.',
  ])
}

function closed({ host, origin }: WebAddress, ip: string, use: string) {
  const which = host === ip ? 'its address is' : `${host} leads to ${ip}, which is`
  const message = `Nothing is fetched from ${origin}: ${which} ${use}, and tools.web_fetch.private_hosts does not name it.`
  return failure(
    'not_allowed',
    message,
    { origin, ip, key: 'tools.web_fetch.private_hosts', effects: 'none' },
    ['Only the user can allow this, in the configuration.'],
  )
}
