/** The parameters a rule can have besides its tool, its type and its priority. */
export interface RuleParameters {
  /** The tools that must come before or after; for `RequiredBeforeExitIf` those that trigger it. */
  readonly tools: readonly string[]
  readonly max: number
  readonly seconds: number
  readonly groups: readonly (readonly string[])[]
  readonly operations: readonly string[]
  /** What a consent applies to; null for the tool as a whole. */
  readonly scope: string | null
}

type Parameter = keyof RuleParameters

interface RuleFacts {
  readonly needs: readonly Parameter[]
  readonly may: readonly Parameter[]
  /** True if the rule allows more than its absence would. */
  readonly isLoosening: boolean
  /** True if the runtime calls the rule's tool by itself, on time or once its absence was refused. */
  readonly callsTool?: boolean
}

const plain = { needs: [], may: [], isLoosening: false } as const

/** Every rule type with the parameters it takes. */
export const RULE_TYPES = {
  MaxCalls: { ...plain, needs: ['max'] },
  ExclusiveGroups: { ...plain, needs: ['groups'] },
  StartConstraint: { ...plain, callsTool: true },
  RequiresPrecedingTools: { ...plain, needs: ['tools'] },
  RequiresFollowingTools: { ...plain, needs: ['tools'] },
  RequiredBeforeExit: { ...plain, callsTool: true },
  RequiredBeforeExitIf: { ...plain, needs: ['tools'], callsTool: true },
  ContinueLoop: { ...plain, isLoosening: true },
  ExitLoop: plain,
  Cooldown: { ...plain, needs: ['seconds'] },
  RequiresConsent: { ...plain, may: ['scope'] },
  Periodic: { ...plain, needs: ['seconds'], isLoosening: true, callsTool: true },
  NeverDedupe: { ...plain, isLoosening: true },
  AlwaysDedupe: plain,
  AllowedOperations: { ...plain, needs: ['operations'] },
  Needed: { ...plain, may: ['tools'], isLoosening: true },
} as const satisfies Readonly<Record<string, RuleFacts>>

export type RuleType = keyof typeof RULE_TYPES

type ParametersOf<T extends RuleType> = (typeof RULE_TYPES)[T]['needs' | 'may'][number]

/** Marks a rule of a project that nobody trusts: it may refuse, but its words are not ours, and it starts nothing. */
export const OF_PROJECT = Symbol('of an untrusted project')

/** One rule as configured; which parameters it has follows from its type. */
export type RuleSetting = {
  readonly [T in RuleType]: {
    readonly tool: string
    readonly type: T
    readonly priority: number
    readonly [OF_PROJECT]?: true
  } & Pick<RuleParameters, ParametersOf<T>>
}[RuleType]

export function isOfProject(rule: { readonly [OF_PROJECT]?: true }): boolean {
  return rule[OF_PROJECT] === true
}

/** Whether the runtime may call the tool of a rule by itself, so that the rule has to name one. */
export function callsTool({ type }: RuleSetting): boolean {
  const facts: RuleFacts = RULE_TYPES[type]
  return facts.callsTool === true
}

/** Keeps one of several equal rules, and rather one that is not of a project. */
export function dropEqualRules<T>(all: readonly T[], ruleOf: (one: T) => RuleSetting): readonly T[] {
  const kept = new Map<string, T>()
  for (const one of all) {
    const text = JSON.stringify(ruleOf(one))
    const other = kept.get(text)
    if (other === undefined || (isOfProject(ruleOf(other)) && !isOfProject(ruleOf(one)))) kept.set(text, one)
  }
  return [...kept.values()]
}

/** True for a rule that may not come from a file that can only tighten. */
export function isLooseningRule(rule: RuleSetting): boolean {
  return RULE_TYPES[rule.type].isLoosening
}

/** A rule as written in a file, for the pages that explain rules. */
export const RULE_EXAMPLE = `\`\`\`toml
[[tools.rules]]
tool = "apply_patch"
type = "RequiresPrecedingTools"
tools = ["read_file"]
\`\`\`
`
