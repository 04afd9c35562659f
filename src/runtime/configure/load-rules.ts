import { rules as rulesKind } from '../../config/kinds/rules-kind.ts'
import type { LoadedSettings } from '../../config/load-settings.ts'
import { dropEqualRules } from '../../config/rule-types.ts'
import type { RuleSetting } from '../../config/rule-types.ts'
import { describeFault } from '../../config/describe-fault.ts'
import { DAY_MS } from '../../core/clock.ts'
import type { Registry } from '../../core/registry.ts'
import type { DeclaredRule } from '../../core/tool.ts'
import { findRuleFaults } from '../../policy/rules/find-rule-faults.ts'
import type { PlacedRule, RuleFault } from '../../policy/rules/find-rule-faults.ts'
import { createRuleBook } from '../../policy/rules/rule-book.ts'
import type { RuleBook } from '../../policy/rules/rule-kind.ts'
import { describeRule } from '../../policy/rules/rule-table.ts'
import { ConfigurationError } from './configuration-error.ts'

/** A rule given by the program: like a tool's own rule, plus the tool it applies to. */
export interface GivenRule extends DeclaredRule {
  /** A tool's name, or `*`. */
  readonly tool: string
}

/** A rule in force. */
export type ShownRule = RuleSetting & {
  /** What it requires, as one sentence. */
  readonly sentence: string
  /** Where it comes from. */
  readonly from: string
}

/** All rules of a runtime, to enforce and to show. */
export interface LoadedRules {
  readonly book: RuleBook
  /** In the order they are checked. */
  readonly shown: () => readonly ShownRule[]
}

const KEY = 'tools.rules'

/** Collects the rules of the configuration, the tools and the program. Throws if any of them contradict each other. */
export function loadRules(
  { settings, locate }: Pick<LoadedSettings, 'settings' | 'locate'>,
  registry: Registry,
  given: readonly GivenRule[] = [],
): LoadedRules {
  const all = [
    ...settings[KEY].map((rule, index) => ({ rule, place: locate(KEY, rule) ?? `${KEY}[${index + 1}]` })),
    ...readGiven(given, 'the program'),
    ...registry.names.flatMap((name) => {
      const own = registry.find(name)?.rules ?? []
      return own.length === 0
        ? []
        : readGiven(
            own.map((rule) => ({ ...rule, tool: name })),
            `tool ${name}`,
          )
    }),
  ]
  const placed = dropEqualRules(all, ({ rule }) => rule)
  const faults = findRuleFaults(placed, registry.names)
  if (faults.length > 0) throw new ConfigurationError(faults.map(describeRuleFault))
  const book = createRuleBook(
    placed.map(({ rule }) => rule),
    {
      dedupeWindowMs: settings['tools.dedupe_window_seconds'] * 1000,
      turnMaxAgeMs: DAY_MS,
      maxIdenticalFailures: settings['tools.max_identical_failures'],
      requirePermissions: settings['tools.require_permissions'],
    },
  )
  const places = new Map(placed.map(({ rule, place }) => [rule, place]))
  return {
    book,
    shown: () =>
      book.rules.map((rule) => ({ ...rule, sentence: describeRule(rule), from: places.get(rule) ?? '' })),
  }
}

function readGiven(given: readonly GivenRule[], source: string): readonly PlacedRule[] {
  const reading = rulesKind().read(given)
  if (reading.ok) return reading.value.map((rule) => ({ rule, place: source }))
  throw new ConfigurationError(reading.faults.map((fault) => ({ source, ...describeFault('rules', fault) })))
}

function describeRuleFault({ message, rules: clashing }: RuleFault) {
  return { source: clashing[0]?.place ?? KEY, message }
}
