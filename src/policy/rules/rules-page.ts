import { RULE_TYPES } from '../../config/rule-types.ts'
import type { RuleType } from '../../config/rule-types.ts'
import { describeRepetition } from './repetition.ts'
import type { Lifetime } from './rule-kind.ts'
import { describeRule, RULE_KINDS } from './rule-table.ts'

const LIFETIMES: Readonly<Record<Lifetime, string>> = {
  pass: 'the pass',
  turn: 'the turn',
  lasting: 'across turns',
  none: '',
}

const INTRODUCTION = `# Rules

This page is printed from the table of rule types in \`src/policy/rules\`; change it there.

A rule is one table in a configuration file. \`tool\` is the name of a tool, or \`"*"\`; \`priority\` is a number, 0 if absent.

\`\`\`toml
[[tools.rules]]
tool = "apply_patch"
type = "RequiresPrecedingTools"
tools = ["read_file"]
\`\`\`

\`tongs rules\` shows the rules in force, each as one sentence; a model is told the same sentences.

## What they remember

- A **pass** goes from a message or a wake-up until everything is at rest. What has to come before or after what is counted here.
- A **turn** goes from one message of the user to the next, wake-ups included. How often a tool ran is counted here.
- **Across turns** it is known when a tool last ran and which call succeeded lately.

All of it is computed from the journal, so it is the same after a restart. A call that is refused or denied counts nowhere; retries of
one call are one call; what a dry run does is not counted.

## Types

| Type | Has | Remembers | Says, for example |
|---|---|---|---|
`

const NOTES = `
## How they are judged

The higher priority first. Between equals come the rules about the pass, then about the turn, then about time; the order in the file does not
matter. The first that refuses ends the call with \`rule_violation\`, which tells the rule, the reason and what would satisfy it.
A whole batch is planned as if its earlier calls succeed. That can satisfy a rule and never breaks one: at its door each call is judged again on
what has really happened.

\`"*"\` means each tool by itself: \`MaxCalls\` and \`Cooldown\` count every tool apart. Under \`RequiresPrecedingTools\` and \`RequiresFollowingTools\`
the tools that are listed are free. \`ExclusiveGroups\` holds for every tool in its groups, whichever tool it is written under.

**What is missing at the start or before the end** is refused twice, the second time with \`details.escalation: 2\`. The third time the runtime runs
the missing tools itself, with \`{}\`, if that fits their schema and nothing forbids it. Their results carry \`origin: "runtime"\` and stand before the result of the call.

**Repeated successes.** A call with effects that is not idempotent is not done again within \`tools.dedupe_window_seconds\` of its success, as long as its arguments
are the same and nothing in the workspace has changed: \`deduplicated\`. \`AlwaysDedupe\` and \`NeverDedupe\` decide otherwise for a tool; the higher priority holds,
and between equals \`AlwaysDedupe\`.

**Repeated failures.** ${describeRepetition(5)} The number can be set.

**Time.** A call that timed out starts no rest and is no success. If the clock is set back, a rest starts anew once.

## Rules that cannot be kept

They are found when the configuration is loaded, with the places of the rules that clash: two start tools in one exclusive group, tools that wait for one
another in a circle, and a tool that does not exist.
`

/** The text of the page about rules. */
export function renderRulesPage(): string {
  return `${INTRODUCTION}${Object.keys(RULE_TYPES).filter(isRuleType).map(renderRow).join('\n')}\n${NOTES}`
}

function isRuleType(name: string): name is RuleType {
  return Object.hasOwn(RULE_TYPES, name)
}

function renderRow(type: RuleType): string {
  const { needs, may } = RULE_TYPES[type]
  const fields = [...needs.map((name) => `\`${name}\``), ...may.map((name) => `\`${name}\` (optional)`)]
  const { lifetime, example } = RULE_KINDS[type]
  return `| \`${type}\` | ${fields.join(', ')} | ${LIFETIMES[lifetime]} | ${describeRule(example)} |`
}
