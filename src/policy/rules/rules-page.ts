import { RULE_EXAMPLE, RULE_TYPES } from '../../config/rule-types.ts'
import type { RuleType } from '../../config/rule-types.ts'
import { describeRepetition } from './judge-rules.ts'
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

${RULE_EXAMPLE}
A tool can bring rules of its own, \`defineTool({ …, rules: [{ type: 'MaxCalls', max: 3 }] })\`, and a program can add some,
\`createRuntime({ …, rules: [{ tool: '*', type: 'Cooldown', seconds: 1 }] })\`. All of them hold together; none takes another one away.

\`tongs rules\` shows the rules in force, each as one sentence and with the place it is written in; a model is told the same sentences.

## What they remember

- A **pass** goes from a message or a wake-up until everything is at rest, however many messages of a model that takes. What has to come before or after
  what is counted here. Wake-ups are a heartbeat, a call by the runtime's own clock, and an answer to a question that was left waiting; a person who answers
  on the spot is part of the pass.
- A **turn** goes from one message of the user to the next, wake-ups included. How often a tool ran is counted here.
- **Across turns** it is known when a tool last ran and which call succeeded lately.

Each batch is on record with its turn and its pass. All of it is computed from the journal, so it is the same after a restart. A call that is refused or denied counts nowhere; retries of
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
the missing tools itself, with \`{}\`, if that fits their schema and nothing forbids it; what has to be asked about is asked about. Their results carry
\`origin: "runtime"\` and stand before the result of the call. If that does not help, the call stays refused, with \`details.escalation: 3\`. The end of a
conversation is judged in the same three steps; after the third it ends.

**Going on.** \`request_heartbeat\` is accepted among the arguments of every tool and taken off before they are checked. Each result carries \`continuation\`, with
\`requests_continuation\` (the call asked for it), \`has_continue_rule\`, \`requires_heartbeat\` (nobody goes on for it) and \`ends_loop\`. A model goes on after
every batch; with \`tools.continuation = "heartbeat"\` it does so only where a call asked for it or a rule does. \`ExitLoop\` ends the loop either way.

**By the clock.** \`Periodic\` calls its tool with \`{}\` while a session is open in a program, in the app or in \`tongs run\`, never in a single \`tongs call\`. It is a call
like any other: judged, recorded, in a pass of its own and in the newest turn. It waits until the session is at rest, and never overtakes itself.

**Operations.** What \`AllowedOperations\` leaves out is also left out of the definitions of the tool, in \`tongs tools\` and for a model.

**Repeated successes.** A call with effects that is not idempotent is not done again within \`tools.dedupe_window_seconds\` of its success, as long as its arguments
are the same and nothing in the workspace has changed: \`deduplicated\`. \`AlwaysDedupe\` and \`NeverDedupe\` decide otherwise for a tool; the higher priority holds,
and between equals \`AlwaysDedupe\`.

**Repeated failures.** ${describeRepetition(5)} The number is \`tools.max_identical_failures\`; 0 lets it fail as often as it likes.

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
