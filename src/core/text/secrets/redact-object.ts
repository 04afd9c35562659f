import type { JsonObject, JsonValue } from '../../json/value.ts'
import { judgeValue } from './find-assignments.ts'
import { redactAndList, redactParts } from './redact.ts'
import type { Hidden, RedactionRules } from './redact.ts'
import { nameKindOf, REDACTED } from './secret-names.ts'

/** Told of each secret that is hidden, with the object that contains it. */
export type HiddenListener = (hidden: Hidden, within: JsonObject) => void

/** The same value with likely secrets removed from its strings and keys; the same object if there are none. */
export function redactObject(
  value: JsonObject,
  rules: RedactionRules,
  onHidden: HiddenListener = () => undefined,
): JsonObject {
  return redactWithin(value, { rules, onHidden, keys: new Map() })
}

/** What one search shares; the same few keys come again and again, so what was found in them is known. */
interface Search {
  readonly rules: RedactionRules
  readonly onHidden: HiddenListener
  readonly keys: Map<string, ReturnType<typeof redactAndList>>
}

function redactWithin(value: JsonObject, search: Search): JsonObject {
  const { rules, onHidden } = search
  const line = redactSplitLine(value, rules, (hidden) => onHidden(hidden, value))
  if (line !== undefined) return line
  let isChanged = false
  const taken = new Set(Object.keys(value))
  const entries = Object.entries(value).map(([name, inner]) => {
    const key = redactKey(name, value, taken, search)
    const shown =
      redactNamed(name, inner, rules, (hidden) => onHidden(hidden, value)) ??
      redactValue(inner, search, value)
    isChanged ||= shown !== inner || key !== name
    return [key, shown] as const
  })
  return isChanged ? Object.fromEntries(entries) : value
}

/** A key without secrets, and different from the others of its object. */
function redactKey(name: string, within: JsonObject, taken: Set<string>, search: Search): string {
  const { text, hidden } = search.keys.get(name) ?? redactAndList(name, search.rules)
  search.keys.set(name, { text, hidden })
  if (hidden.length === 0) return name
  for (const one of hidden) search.onHidden(one, within)
  let key: string = text
  for (let count = 2; taken.has(key); count++) key = `${text} ${count}`
  taken.add(key)
  return key
}

/** How a search shows a line: in parts, of which none may be a secret by itself. */
const LINE_PARTS = ['before', 'match_text', 'after'] as const

/** The line of a search without its secrets; undefined if this is not one, or has none. */
function redactSplitLine(
  value: JsonObject,
  rules: RedactionRules,
  onHidden: (hidden: Hidden) => void,
): JsonObject | undefined {
  const texts = LINE_PARTS.map((name) => value[name]).filter((part) => typeof part === 'string')
  if (texts.length < LINE_PARTS.length) return undefined
  const { parts, hidden } = redactParts(texts, rules)
  if (hidden.length === 0) return undefined
  for (const one of hidden) onHidden(one)
  return { ...value, ...Object.fromEntries(LINE_PARTS.map((name, index) => [name, parts[index] ?? ''])) }
}

/** A string that its name gives away. */
function redactNamed(
  name: string,
  value: JsonValue,
  { isAllowed }: RedactionRules,
  onHidden: (hidden: Hidden) => void,
): string | undefined {
  const named = typeof value === 'string' ? nameKindOf(name) : undefined
  if (named === undefined || typeof value !== 'string' || isAllowed?.(value) === true) return undefined
  const kind = judgeValue(named, value, LEAST[named])
  if (kind === undefined) return undefined
  onHidden({ line: 1, kind, characters: value.length })
  return REDACTED
}

const LEAST = { password: 'some', secret: 'mixed', key: 'random' } as const

function redactValue(value: JsonValue, search: Search, within: JsonObject): JsonValue {
  if (typeof value === 'string') {
    const { text, hidden } = redactAndList(value, search.rules)
    for (const one of hidden) search.onHidden(one, within)
    return text
  }
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return redactWithin(value as JsonObject, search)
  const items = value as readonly JsonValue[]
  const shown = items.map((item) => redactValue(item, search, within))
  return shown.some((item, index) => item !== items[index]) ? shown : value
}
