import { toolError } from '../../core/error.ts'
import { nameExtraAccess } from '../../core/extra-access.ts'
import type { Gate } from './gate.ts'
import { askUnlessGranted } from './approval-gates.ts'
import { pass, settleWith } from './gate.ts'

/** A call that starts a process needs something that confines it. */
export const confinement: Gate = {
  name: 'confinement',
  judge(facts) {
    const { shell } = facts
    if (shell === null) return pass('the call starts no process')
    if (shell.holds) return pass(shell.limits === '' ? shell.label : `${shell.label}; ${shell.limits}`)
    const message = `Commands are not run here, because nothing would confine them. ${shell.reason}`
    return settleWith(
      'no sandbox holds',
      toolError('not_allowed', message, { reason: shell.reason }, [...shell.advice, 'See tongs doctor.']),
    )
  },
}

/** What a call wants for its command beyond the sandbox: forbidden by configuration or by what it is, or asked about. */
export const extraAccessGate: Gate = {
  name: 'extra access',
  judge(facts, settings) {
    const wanted = facts.tool?.extraAccess ?? null
    if (wanted === null) return pass('the call wants nothing beyond the sandbox')
    if (wanted.network && settings['tools.shell.network'] === 'never') return never('network')
    const paths = [...wanted.read, ...wanted.write]
    if (paths.length > 0 && settings['tools.shell.paths'] === 'never') return never('paths')
    for (const { path, error } of facts.extraPaths) {
      if (error !== null) return settleWith(`${path} cannot be granted`, error)
    }
    if (facts.isDryRun) return pass('a dry run changes nothing')
    return askUnlessGranted(facts, `the call wants ${nameExtraAccess(wanted)}`)
  },
}

function never(what: 'network' | 'paths') {
  const key = `tools.shell.${what}`
  const message = `No command may have ${what === 'network' ? 'network' : 'further paths'} here: ${key} is never.`
  return settleWith(`${key} is never`, toolError('not_allowed', message, { key }))
}
