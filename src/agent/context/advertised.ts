import type { Settings } from '../../config/keys.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolDefinition } from '../../core/registry.ts'
import type { AdvertisedTool } from '../../model/model-client.ts'

/** A tool as it is advertised to a model, with a guide to using it well. */
export interface GuidedTool extends AdvertisedTool {
  readonly guide: string | null
}

type Choice = Pick<Settings, 'tools.mode' | 'tools.advertise' | 'tools.definitions'>

/**
 * The tools to advertise, sorted by name. Tools that exist only as a description are included if their calls are held
 * anyway, or if they are named.
 */
export function chooseAdvertised(
  advertised: readonly ToolDefinition[],
  settings: Choice,
): readonly GuidedTool[] {
  const { 'tools.mode': mode, 'tools.advertise': wanted, 'tools.definitions': described } = settings
  if (mode === 'disabled') return []
  const tools = new Map<string, GuidedTool>()
  for (const definition of advertised) tools.set(definition.name, guideTo(definition))
  for (const { name, description, parameters } of described) {
    const isAdvertised = mode === 'parse_only' || (wanted.includes(name) && !tools.has(name))
    if (isAdvertised) tools.set(name, { name, description, inputSchema: parameters, guide: null })
  }
  return [...tools.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** A definition as it is advertised. */
export function guideTo({ name, description, inputSchema, guide, rare }: ToolDefinition): GuidedTool {
  return { name, description, inputSchema: shorten(inputSchema, guide, rare), guide }
}

/** A schema without what all of them share, without rare arguments, and without the guide, which is already in the instructions. */
function shorten(schema: JsonObject, guide: string | null, rare: readonly string[]): JsonObject {
  const { $schema: _dialect, description: _title, properties, ...rest } = slim(schema)
  const isOurs = guide !== null || rare.length > 0
  if (!isJsonObject(properties)) return rest
  const shown = Object.entries(properties).filter(([name]) => !rare.includes(name))
  const told = shown.map(([name, property]) => {
    const says = isJsonObject(property) ? property['description'] : null
    if (typeof says !== 'string') return [name, property]
    const description = says.replace(guide ?? '', '').trim()
    if (!isOurs) return [name, { ...(property as JsonObject), description }]
    const shorter = description.replace(SAID_ONCE, '')
    return [name, withoutLabel({ ...(property as JsonObject), description: shorter }, OWN_LABEL_CHARS)]
  })
  return { ...rest, properties: Object.fromEntries(told) as JsonObject }
}

/** The instructions say this for all paths. */
const SAID_ONCE = ', relative to the root'

/** Bounds and refusals that a model meets rarely; a call that breaks one is told so. */
const UNSAID: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
])

/** A schema without bounds, defaults that say no, and labels. */
function slim(schema: JsonObject): JsonObject {
  const fields = Object.entries(schema).flatMap(([key, value]): readonly [string, JsonValue][] => {
    if (UNSAID.has(key) && !isJsonObject(value)) return []
    if (key === 'default' && value === false) return []
    if (key === 'properties' && isJsonObject(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, slimValue(one)]))]]
    if (key === 'required' && Array.isArray(value) && value.length === 0) return []
    if (key === 'items' || key === 'additionalProperties') return [[key, withoutLabel(slimValue(value))]]
    return [[key, value]]
  })
  return Object.fromEntries(fields)
}

/** A value without a description that says no more than the name of the argument, or the description of the list it is in. */
function withoutLabel(value: JsonValue, labelChars = LABEL_CHARS): JsonValue {
  if (!isJsonObject(value) || String(value['description'] ?? '').length > labelChars) return value
  const { description: _label, ...rest } = value
  return rest
}

const LABEL_CHARS = 20
/** For tools that say what models need not be told; the names of others' arguments may need every word. */
const OWN_LABEL_CHARS = 32

function slimValue(value: JsonValue): JsonValue {
  return isJsonObject(value) ? slim(value) : value
}
