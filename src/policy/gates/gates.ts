import type { Settings } from '../../config/keys.ts'
import { toolError } from '../../core/error.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import { capabilities } from '../capabilities/capability-gate.ts'
import { externalGates } from '../external/external-gate.ts'
import type { Gate, Verdict } from './gate.ts'
import { allowedEffects, approvalMode, denylist, toolApproval } from './approval-gates.ts'
import { argumentLimit, batchLimit, iterationLimit, resources } from './limit-gates.ts'
import { consent, dedupe, rules } from './rule-gates.ts'
import { pass, settleWith } from './gate.ts'
import { webOrigin } from './web-gate.ts'
import { confinement, extraAccessGate } from './command-gates.ts'

const DISABLED = 'Tool execution disabled by policy'

const globalSwitch: Gate = {
  name: 'switch',
  judge(facts, settings, recall) {
    const mode = settings['tools.mode']
    if (mode === 'disabled') return settleWith('tools.mode is disabled', toolError('disabled', DISABLED))
    if (!settings['tools.approval.enabled'])
      return settleWith('tools.approval.enabled is false', toolError('disabled', DISABLED))
    if (mode === 'parse_only' && facts.origin === 'model') {
      const message = 'Held: tools.mode is parse_only, so a person supplies the result of this call'
      return settleWith('tools.mode is parse_only and a model made the call', toolError('held', message))
    }
    return recall(passSwitch, mode, 'enabled')
  },
}

const passSwitch = (mode: string, approval: 'enabled'): Verdict =>
  pass(`tools.mode is ${mode}, approval is ${approval}`)

const envelope: Gate = {
  name: 'envelope',
  judge(facts) {
    if (facts.envelope.length === 0) return pass('id, name and arguments are there')
    return settleWith(
      'the call is malformed',
      toolError('bad_args', `Malformed call: ${facts.envelope.join('; ')}.`, {
        problems: [...facts.envelope],
      }),
    )
  },
}

/** An id can be of any length. */
const SHOWN_ID_CHARS = 100

const duplicateId: Gate = {
  name: 'duplicate id',
  judge(facts) {
    if (facts.sameId <= 1) return pass('the id is unique in its batch')
    const id = ellipsis(facts.id, SHOWN_ID_CHARS)
    const message = `${facts.sameId} calls of this batch carry the id ${JSON.stringify(id)}, so none of them runs. Give every call an id of its own.`
    return settleWith(
      `${facts.sameId} calls share the id`,
      toolError('duplicate_tool_call_id', message, { id, count: facts.sameId }),
    )
  },
}

const lookup: Gate = {
  name: 'lookup',
  judge(facts, settings, recall) {
    if (facts.tool !== null && facts.lacksConversation)
      return settleWith(
        'a conversation with a model carries it out, and there is none',
        toolError('not_allowed', `${facts.tool.name} works only in a conversation with a model.`, {}, [
          'Call it in `tongs run`, in the app or in an editor, or do the work with the other tools.',
        ]),
      )
    if (facts.tool !== null) return recall(passKnown, facts.tool.name, facts.tool.version)
    if (facts.origin === 'model' && !facts.isWithheld && isDescribed(facts.name, settings)) {
      const message = 'Held: the tool is only described in tools.definitions, so a person supplies the result'
      return settleWith('the tool is described and has no code', toolError('held', message))
    }
    const shown = facts.name.length > 80 ? `${facts.name.slice(0, 80)}…` : facts.name
    const meant = facts.nearestName === null ? '' : ` Did you mean ${facts.nearestName}?`
    const message = `There is no tool named ${JSON.stringify(shown)}.${meant} Available: ${facts.available.join(', ')}.`
    return settleWith(
      'no such tool',
      toolError(
        'unknown_tool',
        message,
        { available: [...facts.available], nearest: facts.nearestName },
        facts.lookupAdvice,
      ),
    )
  },
}

const passKnown = (name: string, version: string): Verdict => pass(`${name} ${version}`)

/** Whether a model may call a tool that exists only as a description. */
function isDescribed(name: string, settings: Settings): boolean {
  return (
    settings['tools.definitions'].some((definition) => definition.name === name) &&
    settings['tools.advertise'].includes(name)
  )
}

const schema: Gate = {
  name: 'schema',
  validates: true,
  judge(facts) {
    if (facts.argumentProblems.length > 0) {
      const message = `Bad arguments for ${facts.name}: ${facts.argumentProblems.join('; ')}.`
      return settleWith(
        'the arguments do not fit',
        toolError('bad_args', message, { problems: [...facts.argumentProblems] }),
      )
    }
    if (facts.argumentError !== null)
      return settleWith('the tool rejected the arguments', facts.argumentError)
    return pass('the arguments fit the input schema')
  },
}

const sandbox: Gate = {
  name: 'sandbox',
  judge(facts) {
    for (const { claim, error } of facts.claims) {
      if (error !== null) return settleWith(`${claim.intent} ${claim.path}: ${error.message}`, error)
    }
    if (facts.claims.length === 0) return pass('no path claimed')
    return pass(
      facts.claims.map(({ claim, resolved }) => `${claim.intent} ${resolved ?? claim.path}`).join(', '),
    )
  },
}

/** The gates, in the order they run. */
export const GATES: readonly Gate[] = [
  globalSwitch,
  batchLimit,
  iterationLimit,
  envelope,
  argumentLimit,
  duplicateId,
  denylist,
  lookup,
  schema,
  sandbox,
  allowedEffects,
  webOrigin,
  confinement,
  extraAccessGate,
  approvalMode,
  dedupe,
  rules,
  capabilities,
  externalGates,
  consent,
  toolApproval,
  resources,
]

/** The gates that decide whether the configured gates are asked at all. */
export const BEFORE_EXTERNAL_GATES: readonly Gate[] = GATES.slice(0, GATES.indexOf(externalGates))

/**
 * The gates that the configuration alone decides, and the user's own. They judge once more before changes that waited for
 * an answer land: the others were about the run, which has ended and counts itself by then.
 */
export const LANDING_GATES: readonly Gate[] = [
  globalSwitch,
  denylist,
  allowedEffects,
  approvalMode,
  capabilities,
  externalGates,
]
