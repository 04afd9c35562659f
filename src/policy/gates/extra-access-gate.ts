import { toolError } from '../../core/error.ts'
import { nameWishes } from '../../core/extra-access.ts'
import type { Gate } from './gate.ts'
import { askUnlessGranted } from '../grants/ask-unless-granted.ts'
import { pass, settleWith } from './verdict.ts'

/** What a call wants for its command beyond the sandbox: forbidden by configuration or by what it is, or asked about. */
export const wishes: Gate = {
  name: 'sandbox wishes',
  judge(facts, settings) {
    const wanted = facts.tool?.wishes ?? null
    if (wanted === null) return pass('the call wants nothing beyond the sandbox')
    if (wanted.network && settings['tools.shell.network'] === 'never') return never('network')
    const paths = [...wanted.read, ...wanted.write]
    if (paths.length > 0 && settings['tools.shell.paths'] === 'never') return never('paths')
    for (const { path, error } of facts.wishedPaths) {
      if (error !== null) return settleWith(`${path} cannot be granted`, error)
    }
    if (facts.isDryRun) return pass('a dry run changes nothing')
    return askUnlessGranted(facts, `the call wants ${nameWishes(wanted)}`)
  },
}

function never(what: 'network' | 'paths') {
  const key = `tools.shell.${what}`
  const message = `No command may have ${what === 'network' ? 'network' : 'further paths'} here: ${key} is never.`
  return settleWith(`${key} is never`, toolError('not_allowed', message, { key }))
}
