import { isOfProject } from '../../config/rule-types.ts'
import type { RuleSetting, RuleType } from '../../config/rule-types.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Effect } from '../../core/tool.ts'
import type { RuleState } from './rule-state.ts'

/** A rule of one type. */
export type RuleOf<T extends RuleType> = Extract<RuleSetting, { readonly type: T }>

/** How far back a rule looks. */
export type Lifetime = 'pass' | 'turn' | 'lasting' | 'none'

/** The facts that rules have about the call they judge. */
export interface RuleFacts {
  readonly execution: string
  readonly turn: string
  readonly tool: string
  readonly effect: Effect
  readonly repeatable: boolean
  readonly args: JsonObject
  readonly inputSchema: JsonObject
  readonly argsDigest: string
  readonly workspaceCounter: number
  /** Tools that the runtime could run by itself: `{}` fits their schema, and policy allows it. */
  readonly bareTools: ReadonlySet<string>
  /** False once the runtime has tried to run what was missing, so that it tries only once. */
  readonly mayRunFirst: boolean
}

/** The settings that rules depend on. */
export interface RuleLimits {
  readonly dedupeWindowMs: number
  /** A turn that never ended is dropped after this time. */
  readonly turnMaxAgeMs: number
  /** How often the same call may fail in the same way; 0 is no limit. */
  readonly maxIdenticalFailures: number
  readonly requirePermissions: boolean
}

/** All rules in effect, and what follows from them together. */
export interface RuleBook {
  /** In the order they are judged. */
  readonly rules: readonly RuleSetting[]
  readonly limits: RuleLimits
  readonly startTools: readonly string[]
  readonly exitRules: readonly (RuleOf<'RequiredBeforeExit'> | RuleOf<'RequiredBeforeExitIf'>)[]
  /** The groups of each `ExclusiveGroups` rule, computed once. */
  readonly exclusiveGroups: ReadonlyMap<RuleSetting, readonly (readonly string[])[]>
  /** The longest time any rule looks back at a tool's last run. */
  readonly longestRestMs: number
  /** How far back all calls count, also those that only read; other rules look at one turn. */
  readonly lookBackMs: number
  readonly endsLoop: (tool: string) => boolean
  /** Whether the runtime may call a tool by itself once its absence was refused twice. */
  readonly mayStart: (tool: string) => boolean
  /** Whether the loop continues after a tool without a call that asks for it. */
  readonly goesOn: (tool: string) => boolean
  /** The rules that apply to calls of a tool, in the order they are judged. */
  readonly rulesFor: (tool: string) => readonly RuleSetting[]
}

/** A rule refuses the call: which rule, why, and what would satisfy it. */
export interface Violation {
  readonly is: 'violation'
  /** The rule's type. */
  readonly rule: RuleType | 'Repetition'
  readonly sentence: string
  readonly reason: string
  readonly satisfy: string
  readonly details: JsonObject
}

/** A rule requires a person's consent, or a standing grant. */
export interface ConsentWanted {
  readonly is: 'consent'
  readonly rule: RuleType
  readonly sentence: string
  readonly reason: string
  readonly scope: string | null
}

/** The runtime should run these tools with `{}` before the call is judged again. */
export interface RunFirst {
  readonly is: 'run_first'
  readonly rule: RuleType
  readonly sentence: string
  readonly reason: string
  readonly tools: readonly string[]
}

/** A rule's objection to a call. */
export type RuleFinding = Violation | ConsentWanted | RunFirst

/** Everything a rule may read. */
export interface Situation {
  readonly state: RuleState
  readonly facts: RuleFacts
  readonly book: RuleBook
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The behavior of one rule type. The members are methods on purpose: method bivariance lets a kind stand for any
 * rule, which is sound because a rule only ever meets the kind of its own type.
 */
export interface AnyRuleKind<Rule extends RuleSetting = RuleSetting> {
  readonly lifetime: Lifetime
  /** An example rule for the documentation. */
  readonly example: Rule
  /** One plain sentence for people and models. */
  sentence(rule: Rule): string
  /** Whether calls of a tool are judged by it. */
  concerns(rule: Rule, tool: string, book: Pick<RuleBook, 'startTools' | 'endsLoop'>): boolean
  /** Null if the call passes. */
  judge(rule: Rule, situation: Situation): RuleFinding | null
}

/** The kind of one type of rule. */
export type RuleKind<T extends RuleType> = AnyRuleKind<RuleOf<T>> & { readonly type: T }

/** Means every tool. */
export const ANY_TOOL = '*'

/** Whether a rule applies to a tool. */
export function isAbout(rule: { readonly tool: string }, tool: string): boolean {
  return rule.tool === ANY_TOOL || rule.tool === tool
}

/** The rule's tool as the subject of a sentence. */
export function subjectOf(rule: { readonly tool: string }): string {
  return rule.tool === ANY_TOOL ? 'Every tool' : rule.tool
}

const PLAIN_WORD = /^[\w.-]{1,40}$/
const QUOTED_CHARS = 80

/** Free words of a rule, as part of a sentence. Those of a project that nobody trusts are quoted, as not ours. */
export function wordsOf(rule: RuleSetting, words: string): string {
  if (!isOfProject(rule) || PLAIN_WORD.test(words)) return words
  return `the project says ${toJsonLine(elideMiddle(words, QUOTED_CHARS))}`
}

/** Joins names as in a sentence. */
export function enumerate(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  const head = names.slice(0, -1)
  const tail = names.at(-1) ?? ''
  return head.length === 0 ? tail : `${head.join(', ')} ${last} ${tail}`
}

/** The common part of rule types that never judge individual calls. */
export function unjudged<T extends RuleType>(): Pick<RuleKind<T>, 'lifetime' | 'concerns' | 'judge'> {
  return { lifetime: 'none', concerns: () => false, judge: () => null }
}
