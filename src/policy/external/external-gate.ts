import { matchesName } from '../../core/glob/match-name.ts'
import { cancelledError, toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { Gate } from '../gates/gate.ts'
import { ask, pass, settleWith } from '../gates/gate.ts'
import type { GateAnswer } from './gate-answer.ts'
import type { GateSetting } from '../../config/kinds/gates-kind.ts'

/** Applies the answers of the user's own programs; the first objection decides. */
export const externalGates: Gate = {
  name: 'external gates',
  judge(facts, settings) {
    if (settings['tools.gates'].length === 0) return pass('no gates are configured')
    const wanted = applyingGates(settings['tools.gates'], facts.name)
    if (wanted.length === 0) return pass('no configured gate applies to this tool')
    const answers = facts.gates ?? []
    const against = answers.find(({ verdict }) => verdict === 'deny' || verdict === 'cancelled')
    if (against !== undefined) return settleWith(describe(against), errorOf(against))
    const fact = answers.map(describe).join('; ')
    // A call that the gates have not been asked about yet is neither settled nor allowed through.
    if (answers.length < wanted.length)
      return ask(`not asked yet: ${wanted.map(({ name }) => name).join(', ')}`)
    if (!answers.some(({ verdict }) => verdict === 'ask')) return pass(fact)
    return facts.isDryRun ? pass(`${fact} (a dry run changes nothing)`) : ask(fact)
  },
}

function describe({ gate, verdict, say, fault }: GateAnswer): string {
  const word = fault === null ? verdict : 'no answer, which counts as deny'
  return say === null ? `${gate}: ${word}` : `${gate}: ${word} (${say})`
}

function errorOf({ gate, verdict, say, fault }: GateAnswer): ToolError {
  if (verdict === 'cancelled') return cancelledError()
  const words = say === null ? '' : `: ${say}`
  const details = { gate, reason: fault ?? 'denied', ...(say === null ? {} : { say }) }
  if (fault === null)
    return toolError(
      'not_allowed',
      `The gate ${gate} denied the call${words}.`.replace(/\.\.$/, '.'),
      details,
      ['Do it another way, or ask the person who configured tools.gates.'],
    )
  return toolError(
    'not_allowed',
    `The gate ${gate} gave no answer, which counts as a denial${words}.`,
    details,
    [`Make sure that the program of the gate ${gate} in tools.gates works; no call passes it until it does.`],
  )
}

/** The gates that are asked about calls of a tool, in order. */
export function applyingGates(gates: readonly GateSetting[], tool: string): readonly GateSetting[] {
  return gates.filter((gate) => gate.tools.some((pattern) => matchesName(pattern, tool)))
}
