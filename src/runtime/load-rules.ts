import type { Settings } from '../config/keys.ts'
import type { Registry } from '../core/registry.ts'
import { findRuleFaults } from '../policy/rules/find-rule-faults.ts'
import { createRuleBook } from '../policy/rules/rule-book.ts'
import type { RuleBook } from '../policy/rules/rule-kind.ts'
import { ConfigurationError } from './configuration-error.ts'

const DAY_MS = 86_400_000

/** Makes the rule book of a configuration; rules that cannot hold together are refused, with which and why. */
export function loadRules(settings: Settings, registry: Registry): RuleBook {
  const rules = settings['tools.rules']
  const placed = rules.map((rule, index) => ({ rule, place: `tools.rules[${index + 1}]` }))
  const faults = findRuleFaults(placed, registry.names)
  if (faults.length > 0)
    throw new ConfigurationError(faults.map(({ message }) => ({ source: 'tools.rules', message })))
  return createRuleBook(rules, {
    dedupeWindowMs: settings['tools.dedupe_window_seconds'] * 1000,
    turnMaxAgeMs: DAY_MS,
    maxIdenticalFailures: settings['tools.max_identical_failures'],
    requirePermissions: settings['tools.require_permissions'],
  })
}
