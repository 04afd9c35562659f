import type { Settings } from '../../config/keys.ts'
import { toolError } from '../../core/error.ts'
import type { WebAddress } from '../../core/web/web-address.ts'
import { pass, settleWith } from './gate.ts'
import type { Gate, Verdict } from './gate.ts'
import { closedHost, isListedOrigin } from './origin-pattern.ts'

/**
 * Whether the origin that a call goes to may be fetched from at all. What its name stands for is not looked up here: that
 * would already tell somebody outside. The IP addresses are judged when the call connects.
 */
export const webOrigin: Gate = {
  name: 'web origin',
  judge(facts, settings) {
    const address = facts.tool?.webAddress ?? null
    if (address === null) return pass('the call fetches nothing from the web')
    const { origin } = address
    if (isListedOrigin(settings['tools.web_fetch.denied_origins'], address))
      return refuse(origin, 'tools.web_fetch.denied_origins names it', 'tools.web_fetch.denied_origins')
    if (!isListedOrigin(settings['tools.web_fetch.allowed_origins'], address))
      return refuse(
        origin,
        'tools.web_fetch.allowed_origins does not name it',
        'tools.web_fetch.allowed_origins',
      )
    const use = isPrivateHost(address, settings) ? null : closedHost(address)
    if (use !== null)
      return refuse(
        origin,
        `its address is ${use}, and tools.web_fetch.private_hosts does not name it`,
        'tools.web_fetch.private_hosts',
      )
    return pass(`${origin} may be fetched from`)
  },
}

/** Whether the user has named a host that is not on the public internet. */
export function isPrivateHost(address: WebAddress, settings: Settings): boolean {
  return isListedOrigin(settings['tools.web_fetch.private_hosts'], address)
}

/** Whether calls to an origin run without asking. */
export function isApprovedOrigin(address: WebAddress | null, settings: Settings): boolean {
  return address !== null && isListedOrigin(settings['tools.web_fetch.approved_origins'], address)
}

function refuse(origin: string, why: string, key: string): Verdict {
  const message = `Nothing is fetched from ${origin}: ${why}. It cannot be approved; only the user's configuration can change that.`
  return settleWith(`${origin}: ${why}`, toolError('not_allowed', message, { origin, key }))
}
