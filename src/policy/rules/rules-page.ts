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
A tool can declare rules of its own, \`defineTool({ …, rules: [{ type: 'MaxCalls', max: 3 }] })\`, and a program can add some,
\`createRuntime({ …, rules: [{ tool: '*', type: 'Cooldown', seconds: 1 }] })\`. All of them apply; no rule removes another one.

\`tongs rules\` lists the rules in force, each as one sentence with the place it comes from; a model is given the same sentences.

## What they remember

- A **pass** lasts from a message or a wake-up until nothing is left to do, however many model messages that takes. Rules about order count here.
  Wake-ups are a heartbeat and a call scheduled by the runtime. An answer, at once or later, goes on in the pass in which its question
  was asked.
- A **turn** lasts from one message of the user to the next, wake-ups included. Rules about the number of calls count here.
- **Across turns** the rules know when a tool last ran and which calls succeeded recently.

Each batch is recorded with its turn and its pass. Everything is computed from the journal, so it is the same after a restart. A call that is refused or denied does not count;
retries of one call count once; dry runs do not count.

## Types

| Type | Has | Remembers | Says, for example |
|---|---|---|---|
`

const NOTES = `
## How they are judged

Rules with a higher priority come first. Among equals, rules about the pass come first, then about the turn, then about time; the order in the file does not
matter. The first rule that refuses ends the call with \`rule_violation\`, which names the rule, the reason and what would satisfy it.
A batch is planned as if its earlier calls succeed. That can satisfy a rule but never breaks one: right before it runs, each call is judged again on
what has actually happened.

A tool succeeds if its call does. \`run_tests\` succeeds only if tests ran and passed: with a failed test, without any, or if the runner itself failed, a rule that
requires it is not met. A tool of your own says so with \`satisfies\`.

\`"*"\` means each tool by itself: \`MaxCalls\` and \`Cooldown\` count every tool separately. Under \`RequiresPrecedingTools\` and \`RequiresFollowingTools\`
the listed tools are exempt. \`ExclusiveGroups\` applies to every tool in its groups, whichever tool it is written under.

**A missing tool at the start or before the end** refuses the call twice, the second time with \`details.escalation: 2\`. The third time the runtime runs
the missing tools itself, with \`{}\`, if that fits their schema and nothing forbids it; approval is still asked for if it is needed. Their results carry
\`origin: "runtime"\` and come before the result of the call. If that does not help, the call stays refused, with \`details.escalation: 3\`. The end of a
conversation is judged in the same three steps; after the third it ends, and \`done\` names in \`missing\` what did not succeed. A question about a missing
tool that is put off waits, with exit code 4: the call is refused meanwhile, and the turn goes on once it is answered. A batch that waited for answers goes on in the pass in which it was asked about.

**Continuing.** \`request_heartbeat\` is accepted as an argument of every tool and removed before the arguments are checked. Each result carries \`continuation\`, with
\`requests_continuation\` (the call asked for it), \`has_continue_rule\`, \`requires_heartbeat\` (nothing else continues for it) and \`ends_loop\`. A model continues after
every batch; with \`tools.continuation = "heartbeat"\` it does so only if a call or a rule asks for it. \`ExitLoop\` ends the loop either way.

**On a schedule.** \`Periodic\` calls its tool with \`{}\` while a session is open in a program, in the app or in \`tongs run\`, never in a single \`tongs call\`. It is a call
like any other: judged and recorded, in its own pass and in the newest turn. It waits until the session is idle, and never overlaps with itself.

**Operations.** Operations that \`AllowedOperations\` excludes are also left out of the tool's definition, in \`tongs tools\` and for a model.

**Repeated successes.** A call with effects that is not idempotent is not repeated within \`tools.dedupe_window_seconds\` of its success, as long as its arguments
are the same and the session knows of no change to the workspace: \`deduplicated\`. A command that ran in between counts as a change, because it may have changed
contents or modes. What you change in an editor is not seen, so a command that changed nothing on its layer, such as a test run, may always be repeated, and so may one that failed. \`AlwaysDedupe\` and \`NeverDedupe\` change this for a tool; the higher priority wins,
and among equals \`AlwaysDedupe\`.

**Repeated failures.** ${describeRepetition(5)} The number is \`tools.max_identical_failures\`; 0 sets no limit.

**Time.** A call that timed out does not count as a success, and starts no cooldown if it had the time that its tool and your own settings give it, or if nothing of it is left. If the call itself (\`meta.timeout\`) or the project's file gave it less, and it may have acted, it starts one, as a call that was cancelled does. \`MaxCalls\` counts every call that ran. If the clock is set back, a cooldown restarts once.

## Rules that cannot be kept

These are reported when the configuration is loaded, with the places of the rules in conflict: two start tools in one exclusive group, tools that wait for
each other in a circle, and a tool that does not exist.
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
