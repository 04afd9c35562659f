import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { findSuccess } from './dedupe-memory.ts'
import { isAbout } from './rule-kind.ts'
import type { RuleBook, RuleFacts } from './rule-kind.ts'
import type { RuleState } from './rule-state.ts'

/** The verdict on a possible duplicate, and the fact it is based on. */
export type DedupeVerdict =
  | { readonly ok: true; readonly fact: string }
  | { readonly ok: false; readonly fact: string; readonly error: ToolError }

/**
 * Whether repeated calls of a tool are rejected: by default those with effects, unless the tool is idempotent or made
 * to be repeated. If rules disagree, the one with the higher priority wins, and among equals the stricter.
 */
export function isDeduplicated(
  book: Pick<RuleBook, 'rules'>,
  call: Pick<RuleFacts, 'tool' | 'effect' | 'repeatable'>,
): boolean {
  let highest = -Infinity
  let verdict = call.effect !== 'read' && !call.repeatable
  for (const rule of book.rules) {
    if ((rule.type !== 'AlwaysDedupe' && rule.type !== 'NeverDedupe') || !isAbout(rule, call.tool)) continue
    const isAlways = rule.type === 'AlwaysDedupe'
    if (rule.priority > highest) verdict = isAlways
    else if (rule.priority === highest) verdict ||= isAlways
    highest = Math.max(highest, rule.priority)
  }
  return verdict
}

const REPEATABLE: DedupeVerdict = { ok: true, fact: 'calls of this tool may be repeated' }

/** Rejects repeating a success on an unchanged workspace within the window, or a call that is still running. */
export function judgeDedupe(book: RuleBook, state: RuleState, facts: RuleFacts, now: number): DedupeVerdict {
  if (!isDeduplicated(book, facts)) return REPEATABLE
  if (state.pass.assumesChange)
    return { ok: true, fact: 'an earlier call of the batch may change the workspace' }
  const { tool, argsDigest } = facts
  const running = state.claims
    .values()
    .find(
      (claim) =>
        claim.execution !== facts.execution && claim.tool === tool && claim.argsDigest === argsDigest,
    )
  if (running !== undefined)
    return refuse('the same call is running', running.execution, book.limits.dedupeWindowMs)
  const success = findSuccess(state.lasting.dedupe, facts)
  const ageMs = success === null ? Infinity : Math.max(0, now - success.at)
  if (success === null || ageMs >= book.limits.dedupeWindowMs) {
    return { ok: true, fact: 'no equal call succeeded lately on the workspace as it is' }
  }
  const age = `${Math.floor(ageMs / 1000)} s ago`
  return refuse(`the same call succeeded ${age}`, success.execution, book.limits.dedupeWindowMs - ageMs)
}

function refuse(fact: string, execution: string, leftMs: number): DedupeVerdict {
  const left = Math.ceil(leftMs / 1000)
  const message = `Not repeated: ${fact}, with the same arguments, and this session knows of no change to the workspace since.`
  const recovery = [`Use the earlier result, change the arguments, or repeat it in ${left} s.`]
  return {
    ok: false,
    fact,
    error: toolError('deduplicated', message, { of: execution, left_ms: leftMs }, recovery),
  }
}
