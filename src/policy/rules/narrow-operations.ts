import type { RuleSetting } from '../../config/rule-types.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { ACTION } from './kinds/allowed-operations.ts'

const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * A tool's input schema without the operations that rules forbid; null if none is left, so that the tool need not be
 * shown at all. This only affects what is shown: a call is judged by its argument, whatever the schema said.
 */
export function narrowOperations(schema: JsonObject, rules: readonly RuleSetting[]): JsonObject | null {
  const lists = rules.flatMap((rule) => (rule.type === 'AllowedOperations' ? [rule.operations] : []))
  const [first] = lists
  if (first === undefined) return schema
  const allowed = new Set(first.filter((operation) => lists.every((list) => list.includes(operation))))
  return narrow(schema, allowed)
}

function narrow(schema: JsonObject, allowed: ReadonlySet<string>): JsonObject | null {
  const narrowed: Record<string, JsonValue> = { ...schema }
  const properties = schema['properties']
  if (isJsonObject(properties) && Object.hasOwn(properties, ACTION)) {
    const action = narrowAction(properties[ACTION], allowed)
    if (action === null) return null
    narrowed['properties'] = { ...properties, [ACTION]: action }
  }
  for (const keyword of BRANCHES) {
    const branches = readList(schema[keyword])
    if (branches === null) continue
    const kept = branches.flatMap((branch) =>
      isJsonObject(branch) ? (narrow(branch, allowed) ?? []) : [branch],
    )
    if (kept.length === 0 || (keyword === 'allOf' && kept.length < branches.length)) return null
    narrowed[keyword] = kept
  }
  return narrowed
}

/** The schema of the argument itself, or null if no value is left. */
function narrowAction(action: JsonValue | undefined, allowed: ReadonlySet<string>): JsonObject | null {
  const isAllowed = (value: JsonValue): boolean => typeof value === 'string' && allowed.has(value)
  if (!isJsonObject(action)) return action === false ? null : named({}, [...allowed])
  const fixed = action['const']
  if (fixed !== undefined) return isAllowed(fixed) ? action : null
  const { default: preset, ...rest } = action
  const kept = preset !== undefined && isAllowed(preset) ? action : rest
  const listed = readList(action['enum'])
  if (listed !== null) return named(kept, listed.filter(isAllowed))
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = readList(action[keyword])
    if (branches === null) continue
    const left = branches.flatMap((branch) => narrowAction(branch, allowed) ?? [])
    return left.length === 0 ? null : { ...kept, [keyword]: left }
  }
  return named(kept, [...allowed])
}

function named(schema: JsonObject, values: readonly JsonValue[]): JsonObject | null {
  return values.length === 0 ? null : { ...schema, enum: [...values] }
}

function readList(value: JsonValue | undefined): readonly JsonValue[] | null {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : null
}
