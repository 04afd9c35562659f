import type { Settings } from '../../config/keys.ts'
import { toolError } from '../../core/error.ts'
import { memoizeLast } from '../../core/memoize.ts'
import type { Effect } from '../../core/tool.ts'
import { capabilities } from '../capabilities/capability-gate.ts'
import { externalGates } from '../external/external-gate.ts'
import type { CallFacts } from '../facts.ts'
import { findDenyKey } from './find-deny-key.ts'
import type { Gate } from './gate.ts'
import { askUnlessGranted } from '../grants/ask-unless-granted.ts'
import { argumentLimit, batchLimit, iterationLimit, resources } from './limit-gates.ts'
import { consent, dedupe, rules } from './rule-gates.ts'
import { pass, passingBy, settleWith } from './gate.ts'
import { confinement, extraAccessGate } from './command-gates.ts'

const DISABLED = 'Tool execution disabled by policy'

const passSwitch = passingBy((mode: string, how: string) => `tools.mode is ${mode}, approval is ${how}`)

const globalSwitch: Gate = {
  name: 'switch',
  judge(facts, settings) {
    const mode = settings['tools.mode']
    if (mode === 'disabled') return settleWith('tools.mode is disabled', toolError('disabled', DISABLED))
    if (!settings['tools.approval.enabled'])
      return settleWith('tools.approval.enabled is false', toolError('disabled', DISABLED))
    if (mode === 'parse_only' && facts.origin === 'model') {
      const message = 'Held: tools.mode is parse_only, so a person supplies the result of this call'
      return settleWith('tools.mode is parse_only and a model made the call', toolError('held', message))
    }
    return passSwitch(mode, 'enabled')
  },
}

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

const duplicateId: Gate = {
  name: 'duplicate id',
  judge(facts) {
    if (facts.sameId <= 1) return pass('the id is unique in its batch')
    const message = `${facts.sameId} calls of this batch carry the same id, so none of them runs. Give every call an id of its own.`
    return settleWith(
      `${facts.sameId} calls share the id`,
      toolError('duplicate_tool_call_id', message, { count: facts.sameId }),
    )
  },
}

const denyKeyOf = memoizeLast(findDenyKey)

const denylist: Gate = {
  name: 'denylist',
  judge(facts, settings) {
    const key = denyKeyOf(facts.name, settings)
    if (key === null) return pass('not on the denylist')
    const message = `${facts.name} is denied by ${key}. It cannot be approved; change the configuration if it should run.`
    return settleWith(`denied by ${key}`, toolError('denylisted', message, { tool: facts.name, key }))
  },
}

const passLookup = passingBy((name: string, version: string) => `${name} ${version}`)

const lookup: Gate = {
  name: 'lookup',
  judge(facts, settings) {
    if (facts.tool !== null) return passLookup(facts.tool.name, facts.tool.version)
    if (facts.origin === 'model' && isDescribed(facts.name, settings)) {
      const message = 'Held: the tool is only described in tools.definitions, so a person supplies the result'
      return settleWith('the tool is described and has no code', toolError('held', message))
    }
    const shown = facts.name.length > 80 ? `${facts.name.slice(0, 80)}…` : facts.name
    const meant = facts.nearestName === null ? '' : ` Did you mean ${facts.nearestName}?`
    const message = `There is no tool named ${JSON.stringify(shown)}.${meant} Available: ${facts.available.join(', ')}.`
    return settleWith(
      'no such tool',
      toolError('unknown_tool', message, { available: [...facts.available], nearest: facts.nearestName }),
    )
  },
}

/** Whether a model may call a tool that exists as a description only. */
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
      return settleWith('the arguments make no sense to the tool', facts.argumentError)
    return pass('the arguments fit the input schema')
  },
}

const passClaim = passingBy((intent: string, place: string) => `${intent} ${place}`)

const sandbox: Gate = {
  name: 'sandbox',
  judge(facts) {
    for (const { claim, error } of facts.claims) {
      if (error !== null) return settleWith(`${claim.intent} ${claim.path}: ${error.message}`, error)
    }
    const [only] = facts.claims
    if (only === undefined) return pass('no path claimed')
    if (facts.claims.length === 1) return passClaim(only.claim.intent, only.resolved ?? only.claim.path)
    return pass(
      facts.claims.map(({ claim, resolved }) => `${claim.intent} ${resolved ?? claim.path}`).join(', '),
    )
  },
}

const DOES: Readonly<Record<Effect, string>> = {
  read: 'read',
  edit: 'change files',
  spawn: 'start a process',
  external: 'act outside this machine',
}

const passEffect = passingBy((does: string, how: string) => `calls that ${does} are ${how}`)

const allowedEffects: Gate = {
  name: 'allowed effects',
  judge(facts, settings) {
    const effect = effectOf(facts)
    if (settings['tools.approval.allowed_effects'].includes(effect))
      return passEffect(DOES[effect], 'allowed')
    if (facts.isDryRun && effect !== 'read') return pass('a dry run changes nothing')
    const message = `${facts.name} would ${DOES[effect]}, and tools.approval.allowed_effects does not name ${effect}.`
    const error = toolError('not_allowed', message, { effect, key: 'tools.approval.allowed_effects' })
    return settleWith(`calls that ${DOES[effect]} are not allowed`, error)
  },
}

const approvalMode: Gate = {
  name: 'approval mode',
  judge(facts, settings) {
    const mode = settings['tools.approval.mode']
    const isListed = settings['tools.approval.allowlist'].includes(facts.name)
    const effect = effectOf(facts)
    if (mode === 'deny') {
      if (isListed) return pass('approval mode is deny, and the tool is on the allowlist')
      const message = `${facts.name} is not on tools.approval.allowlist, and tools.approval.mode is deny.`
      const error = toolError('not_allowed', message, { tool: facts.name, key: 'tools.approval.mode' })
      return settleWith('approval mode is deny, not on the allowlist', error)
    }
    if (facts.isDryRun) return pass('a dry run changes nothing')
    if (isListed) return pass(`approval mode is ${mode}, on the allowlist`)
    if (mode === 'auto') return pass('approval mode is auto')
    if (effect === 'read') return pass('approval mode is prompt, and the call only reads')
    if (!settings['tools.approval.prompt_side_effects'])
      return pass('tools.approval.prompt_side_effects is false')
    const approved = approvedBeforehand(facts, settings)
    if (approved !== null) return pass(approved)
    return askUnlessGranted(facts, `approval mode is prompt, and the call may ${DOES[effect]}`)
  },
}

const toolApproval: Gate = {
  name: 'tool approval',
  judge(facts, settings) {
    if (facts.tool === null || !facts.tool.requiresApproval)
      return pass('the tool does not insist on being asked about')
    if (facts.isDryRun) return pass('a dry run changes nothing')
    // A confined process is what the setting was given for; an edit that insists has reasons of its own.
    const approved = facts.tool.effect === 'spawn' ? approvedBeforehand(facts, settings) : null
    return approved === null
      ? askUnlessGranted(facts, 'the tool insists on being asked about')
      : pass(approved)
  },
}

/** An effect nobody knows counts as the worst. */
function effectOf(facts: CallFacts): Effect {
  return facts.tool?.effect ?? 'external'
}

/** Why the call needs no question although it has effects; null where it does need one. */
function approvedBeforehand({ tool }: CallFacts, settings: Settings): string | null {
  const approved = settings['tools.approval.approved_effects']
  if (tool?.effect === 'edit' && tool.risk !== 'High' && approved.includes('edit'))
    return 'tools.approval.approved_effects names edit, and undo can take this back'
  if (tool?.effect === 'spawn' && tool.isSandboxed && !tool.extraAccess && approved.includes('spawn'))
    return 'tools.approval.approved_effects names spawn, and the process is sandboxed without network'
  return null
}

/** The gates, in the order they are asked. */
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

/** Those that decide whether the configured gates are asked at all. */
export const BEFORE_EXTERNAL_GATES: readonly Gate[] = GATES.slice(0, GATES.indexOf(externalGates))
