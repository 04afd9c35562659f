import { toolError } from '../../core/error.ts'
import { nameExtraAccess } from '../../core/extra-access.ts'
import type { Gate } from './gate.ts'
import { askUnlessGranted } from './approval-gates.ts'
import { pass, settleWith } from './gate.ts'

/** A call that starts a process needs a sandbox to confine it. */
export const confinement: Gate = {
  name: 'confinement',
  judge(facts, settings) {
    const { shell } = facts
    if (shell === null) return pass('the call starts no process')
    if (shell.holds && shell.layer === 'none' && settings['tools.shell.layer'] === 'require')
      return settleWith(
        'tools.shell.layer is require, and there is no layer',
        toolError(
          'not_allowed',
          `Commands do not run here without a layer (tools.shell.layer is require). ${shell.layerReason ?? ''}`.trim(),
          { key: 'tools.shell.layer' },
          ['See tongs doctor.'],
        ),
      )
    if (shell.holds)
      return pass(
        [shell.label, shell.limits, `layer: ${shell.layer}`].filter((part) => part !== '').join('; '),
      )
    if (shell.isUnknown === true)
      return settleWith(
        'the sandbox or the layer was not ready in time',
        toolError(
          'not_allowed',
          `Commands do not run here for now. ${shell.reason}`,
          { reason: shell.reason },
          shell.advice,
        ),
      )
    const message = `Commands do not run here, because no sandbox would confine them. ${shell.reason}`
    return settleWith(
      'no sandbox holds',
      toolError('not_allowed', message, { reason: shell.reason }, [...shell.advice, 'See tongs doctor.']),
    )
  },
}

/** Access beyond the sandbox is either forbidden by configuration, impossible to grant, or subject to approval. */
export const extraAccessGate: Gate = {
  name: 'extra access',
  judge(facts, settings) {
    const wanted = facts.tool?.extraAccess ?? null
    if (wanted === null) return pass('the call asks for nothing beyond the sandbox')
    if (wanted.network && settings['tools.shell.network'] === 'never') return never('network')
    const paths = [...wanted.read, ...wanted.write]
    if (paths.length > 0 && settings['tools.shell.paths'] === 'never') return never('paths')
    for (const { path, error } of facts.extraPaths) {
      if (error !== null) return settleWith(`${path} cannot be granted`, error)
    }
    if (facts.isDryRun) return pass('a dry run changes nothing')
    return askUnlessGranted(facts, `the call asks for ${nameExtraAccess(wanted)}`)
  },
}

function never(what: 'network' | 'paths') {
  const key = `tools.shell.${what}`
  const message = `Commands may not ${what === 'network' ? 'use the network' : 'have further paths'} here: ${key} is never.`
  return settleWith(`${key} is never`, toolError('not_allowed', message, { key }))
}
