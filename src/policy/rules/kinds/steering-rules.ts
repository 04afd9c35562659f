import type { RuleKind } from '../rule-kind.ts'
import { enumerate, subjectOf, unjudged } from '../rule-kind.ts'

/** The loop ends once the tool has succeeded. */
export const exitLoop: RuleKind<'ExitLoop'> = {
  ...unjudged<'ExitLoop'>(),
  lifetime: 'pass',
  type: 'ExitLoop',
  example: { tool: 'finish', type: 'ExitLoop', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} ends the work once it has succeeded.`,
}

/** After the tool the model continues without a call that asks for it. */
export const continueLoop: RuleKind<'ContinueLoop'> = {
  ...unjudged<'ContinueLoop'>(),
  type: 'ContinueLoop',
  example: { tool: 'search', type: 'ContinueLoop', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} lets the model continue without asking for it.`,
}

/** The tool's successful calls are not repeated, even if they only read. */
export const alwaysDedupe: RuleKind<'AlwaysDedupe'> = {
  ...unjudged<'AlwaysDedupe'>(),
  lifetime: 'lasting',
  type: 'AlwaysDedupe',
  example: { tool: 'fetch_page', type: 'AlwaysDedupe', priority: 0 },
  sentence: (rule) =>
    `${subjectOf(rule)} is not called again with the same arguments soon after it succeeded, unless the workspace has changed.`,
}

/** The tool's calls may be repeated. */
export const neverDedupe: RuleKind<'NeverDedupe'> = {
  ...unjudged<'NeverDedupe'>(),
  type: 'NeverDedupe',
  example: { tool: 'send_ping', type: 'NeverDedupe', priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} may be called again with the same arguments at any time.`,
}

/** States that tools belong together; rejects nothing. */
export const needed: RuleKind<'Needed'> = {
  ...unjudged<'Needed'>(),
  type: 'Needed',
  example: { tool: 'apply_patch', type: 'Needed', tools: ['read_file'], priority: 0 },
  sentence(rule) {
    if (rule.tools.length === 0) return `${subjectOf(rule)} is needed for this work.`
    return `${subjectOf(rule)} needs ${enumerate(rule.tools)} to be useful.`
  },
}
