import type { JsonObject } from '../../core/json/value.ts'
import { dropEqualRules, isLooseningRule, OF_PROJECT, RULE_TYPES } from '../rule-types.ts'
import type { RuleParameters, RuleSetting, RuleType } from '../rule-types.ts'
import { readStrings, readText } from './collection-kinds.ts'
import { integer, number } from './scalar-kinds.ts'
import { readTables, unknownColumns } from './table-kinds.ts'
import { failAt, faultsUnder, notExpected } from './value-kind.ts'
import type { Fault, Reading, ValueKind } from './value-kind.ts'

const priority = integer({ min: -1_000_000, max: 1_000_000, tighter: 'never' })
const max = integer({ min: 0, max: 1_000_000, tighter: 'never' })
const seconds = number({ min: 0.001, max: 31_536_000, tighter: 'never' })

const READERS: { readonly [P in keyof RuleParameters]: (raw: unknown) => Reading<RuleParameters[P]> } = {
  tools: readNames,
  max: (raw) => max.read(raw),
  seconds: (raw) => seconds.read(raw),
  groups: readGroups,
  operations: readNames,
  scope: readText,
}

const ABSENT: Partial<RuleParameters> = { tools: [], scope: null }

const TYPE_NAMES = Object.keys(RULE_TYPES)

/** The rows of `tools.rules`; a file that may only tighten can add rules that restrict, but not remove any. */
export function rules(): ValueKind<readonly RuleSetting[]> {
  return {
    type: 'tables',
    tighter: 'add',
    expected: 'a list of tables, each a rule',
    read: (raw) => readTables(raw, 'a rule', readRule),
    layer: (_base, next) => next,
    markProject: (value) => value.map((rule) => ({ ...rule, [OF_PROJECT]: true })),
    tighten: (base, proposed) => {
      const refused = proposed.filter(isLooseningRule)
      const value = dropEqualRules(
        [...base, ...proposed.filter((rule) => !isLooseningRule(rule))],
        (rule) => rule,
      )
      return refused.length === 0 ? { value } : { value, refused }
    },
    schema: () => ({ type: 'array', items: ruleSchema() }),
  }
}

function isRuleType(value: unknown): value is RuleType {
  return typeof value === 'string' && Object.hasOwn(RULE_TYPES, value)
}

function readRule(raw: Readonly<Record<string, unknown>>): Reading<RuleSetting> {
  const type = raw['type']
  if (!isRuleType(type)) return { ok: false, faults: [badType(type)] }
  const needs: readonly (keyof RuleParameters)[] = RULE_TYPES[type].needs
  const parameters = [...needs, ...RULE_TYPES[type].may]
  const noun = `a rule of type ${type}`
  const known = ['tool', 'type', 'priority', ...parameters]
  const faults: Fault[] = unknownColumns(raw, noun, known)

  function take<T>(name: string, read: (raw: unknown) => Reading<T>, absent: T | undefined): T | undefined {
    const isGiven = Object.hasOwn(raw, name) && raw[name] !== undefined
    if (!isGiven && absent === undefined) faults.push({ path: [], message: `${noun} needs "${name}"` })
    // A rule that was read before may be passed in again, with its defaults filled in.
    if (!isGiven || JSON.stringify(raw[name]) === JSON.stringify(absent)) return absent
    const reading = read(raw[name])
    if (reading.ok) return reading.value
    faults.push(...faultsUnder(name, reading.faults))
    return undefined
  }

  const rule: Record<string, unknown> = {
    tool: take('tool', readText, undefined),
    type,
    priority: take('priority', (value) => priority.read(value), 0),
  }
  for (const name of parameters) {
    rule[name] = take<unknown>(name, READERS[name], needs.includes(name) ? undefined : ABSENT[name])
  }
  // Without a fault exactly the columns of this type have been read, each by its own reader.
  return faults.length === 0 ? { ok: true, value: rule as unknown as RuleSetting } : { ok: false, faults }
}

function badType(type: unknown): Fault {
  const hint = `one of ${TYPE_NAMES.join(', ')}`
  if (type === undefined) return { path: [], message: 'a rule needs "type"', hint }
  const meant = { given: type, among: TYPE_NAMES }
  return { path: ['type'], message: 'there is no such rule type', found: { value: type }, meant, hint }
}

function readNames(raw: unknown): Reading<readonly string[]> {
  const reading = readStrings(raw)
  return reading.ok && reading.value.length === 0 ? failAt({ message: 'it must name at least one' }) : reading
}

function readGroups(raw: unknown): Reading<readonly (readonly string[])[]> {
  if (!Array.isArray(raw) || raw.length === 0) return notExpected('a list of lists of tool names', raw)
  const faults: Fault[] = []
  const groups: (readonly string[])[] = []
  for (const [index, group] of raw.entries()) {
    const reading = readNames(group)
    if (reading.ok) groups.push(reading.value)
    else faults.push(...faultsUnder(index, reading.faults))
  }
  return faults.length === 0 ? { ok: true, value: groups } : { ok: false, faults }
}

function ruleSchema(): JsonObject {
  const name: JsonObject = { type: 'string', minLength: 1, description: 'One name.' }
  const names: JsonObject = { type: 'array', items: name, minItems: 1 }
  return {
    type: 'object',
    properties: {
      tool: { type: 'string', minLength: 1, description: 'The tool it is about; "*" for all.' },
      type: { enum: TYPE_NAMES, description: 'What the rule demands.' },
      priority: { ...priority.schema(), description: 'Higher is judged first; 0 if absent.' },
      tools: { ...names, description: 'The other tools it names.' },
      max: { ...max.schema(), description: 'The most calls, for MaxCalls.' },
      seconds: { ...seconds.schema(), description: 'The time, for Cooldown and Periodic.' },
      groups: {
        type: 'array',
        items: { ...names, description: 'Tools of which one may be used.' },
        minItems: 1,
        description: 'The groups, for ExclusiveGroups.',
      },
      operations: { ...names, description: 'The values of `action` let through, for AllowedOperations.' },
      scope: {
        type: 'string',
        minLength: 1,
        description: 'What the consent covers, for RequiresConsent.',
      },
    },
    required: ['tool', 'type'],
    anyOf: Object.entries(RULE_TYPES).map(([type, { needs, may }]) => ({
      properties: { type: { const: type } },
      required: [...needs],
      propertyNames: { enum: ['tool', 'type', 'priority', ...needs, ...may] },
    })),
    additionalProperties: false,
    description: 'One rule.',
  }
}
