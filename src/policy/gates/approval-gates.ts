import type { Settings } from '../../config/keys.ts'
import { toolError } from '../../core/error.ts'
import type { Effect } from '../../core/tool.ts'
import type { CallFacts } from '../facts.ts'
import { ask, askAtLanding, askTwice, pass, settleWith } from './gate.ts'
import type { Gate, Verdict } from './gate.ts'
import { isApprovedOrigin } from './web-gate.ts'

/** A tool on the denylist never runs. */
export const denylist: Gate = {
  name: 'denylist',
  judge(facts, settings, recall) {
    const key = recall(findDenyKey, facts.name, settings)
    if (key === null) return pass('not on the denylist')
    const message = `${facts.name} is denied by ${key}. It cannot be approved; change the configuration if it should run.`
    return settleWith(`denied by ${key}`, toolError('denylisted', message, { tool: facts.name, key }))
  },
}

/**
 * The key that denies a tool, or null. A tool whose own `enabled` switch is off counts as denylisted, and turning the
 * switch on is enough to lift the built-in entry.
 */
export function findDenyKey(name: string, settings: Settings): string | null {
  const switchKey = `tools.${name}.enabled`
  const isOn = Object.hasOwn(settings, switchKey)
    ? (settings as Readonly<Record<string, unknown>>)[switchKey] === true
    : null
  if (isOn === false) return switchKey
  const listed = settings['tools.approval.denylist'].includes(name)
  return listed ? 'tools.approval.denylist' : null
}

const DOES: Readonly<Record<Effect, string>> = {
  read: 'read',
  edit: 'change files',
  spawn: 'start a process',
  external: 'act outside this machine',
}

const ALLOWED: Readonly<Record<Effect, Verdict>> = {
  read: pass(`calls that ${DOES.read} are allowed`),
  edit: pass(`calls that ${DOES.edit} are allowed`),
  spawn: pass(`calls that ${DOES.spawn} are allowed`),
  external: pass(`calls that ${DOES.external} are allowed`),
}

/** An effect that is not allowed ends the call. */
export const allowedEffects: Gate = {
  name: 'allowed effects',
  judge(facts, settings) {
    const effect = effectOf(facts)
    if (settings['tools.approval.allowed_effects'].includes(effect)) return ALLOWED[effect]
    if (facts.isDryRun && effect !== 'read') return pass('a dry run changes nothing')
    const message = `${facts.name} would ${DOES[effect]}, and tools.approval.allowed_effects does not name ${effect}.`
    const error = toolError('not_allowed', message, { effect, key: 'tools.approval.allowed_effects' })
    return settleWith(`calls that ${DOES[effect]} are not allowed`, error)
  },
}

/** Whether calls of this kind are denied, approved or need an answer. */
export const approvalMode: Gate = {
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
    return askAtTheRightTime(facts, settings, `approval mode is prompt, and the call may ${DOES[effect]}`)
  },
}

/** A tool may insist on approval. */
export const toolApproval: Gate = {
  name: 'tool approval',
  judge(facts, settings) {
    if (facts.tool === null || !facts.tool.requiresApproval) return pass('the tool does not require approval')
    if (facts.isDryRun) return pass('a dry run changes nothing')
    // The setting is meant for confined processes; an edit that requires approval has its own reasons.
    const approved = facts.tool.effect === 'spawn' ? approvedBeforehand(facts, settings) : null
    return approved === null
      ? askAtTheRightTime(facts, settings, 'the tool requires approval')
      : pass(approved)
  },
}

/** An unknown effect counts as the worst. */
function effectOf(facts: CallFacts): Effect {
  return facts.tool?.effect ?? 'external'
}

/** Why the call needs no approval although it has effects; null if it needs approval. */
function approvedBeforehand({ tool }: CallFacts, settings: Settings): string | null {
  const approved = settings['tools.approval.approved_effects']
  if (tool?.effect === 'edit' && tool.risk !== 'High' && approved.includes('edit'))
    return 'tools.approval.approved_effects names edit, and undo can take this back'
  // What is written through cannot be undone, whoever approved of commands.
  const isHeld = settings['tools.shell.passthrough'].length === 0
  if (
    tool?.effect === 'spawn' &&
    tool.isSandboxed &&
    !tool.extraAccess &&
    isHeld &&
    approved.includes('spawn')
  )
    return 'tools.approval.approved_effects names spawn, and the process is sandboxed without network'
  if (tool?.effect === 'external' && isApprovedOrigin(tool.webAddress, settings))
    return 'tools.web_fetch.approved_origins names the origin'
  return null
}

/** A person always reads these before they run. */
const ALWAYS_BEFORE: ReadonlySet<string> = new Set(['run_command'])

/** Asks before the call runs or, if all it does stays on a layer until it lands, about what it changed. */
function askAtTheRightTime(facts: CallFacts, settings: Settings, why: string): Verdict {
  const verdict = askUnlessGranted(facts, why)
  const when = settings['tools.shell.ask']
  if (verdict.is !== 'ask' || when === 'before') return verdict
  if (ALWAYS_BEFORE.has(facts.name) || !staysOnLayer(facts, settings)) return verdict
  return when === 'after' ? askAtLanding(verdict.fact) : askTwice(verdict.fact)
}

/** Whether nothing that a call does can reach beyond its layer. */
export function staysOnLayer(
  { tool, shell }: Pick<CallFacts, 'tool' | 'shell'>,
  settings: Settings,
): boolean {
  return (
    tool?.effect === 'spawn' &&
    tool.isSandboxed &&
    tool.extraAccess === null &&
    shell?.holds === true &&
    shell.layer !== 'none' &&
    settings['tools.shell.passthrough'].length === 0
  )
}

/** Passes if a standing grant, which is an answer given in advance, covers the call; otherwise asks. */
export function askUnlessGranted(
  { grant, ignoredGrants, changedStart }: Pick<CallFacts, 'grant' | 'ignoredGrants' | 'changedStart'>,
  why: string,
): Verdict {
  if (grant !== null)
    return { is: 'pass', fact: `${why}; allowed by grant ${grant.id}: ${grant.sentence}`, grant }
  if (changedStart !== null) return ask(`${why} (${changedStart})`)
  if (ignoredGrants === 0) return ask(why)
  const many = ignoredGrants === 1 ? 'a grant for it is' : `${ignoredGrants} grants for it are`
  return ask(
    `${why} (${many} ignored, because the record was changed from outside or is about another folder; see tongs grants)`,
  )
}
