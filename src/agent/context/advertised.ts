import type { Settings } from '../../config/keys.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolDefinition } from '../../core/registry.ts'
import type { AdvertisedTool } from '../../model/model-client.ts'

/** A tool as a model is told about it, with how to use it well. */
export interface GuidedTool extends AdvertisedTool {
  readonly guide: string | null
}

type Choice = Pick<Settings, 'tools.mode' | 'tools.advertise' | 'tools.definitions'>

/**
 * The tools a model is told about, by name: those that are advertised, and such that exist as a description only where
 * calls are held anyway or where they are named.
 */
export function chooseAdvertised(
  advertised: readonly ToolDefinition[],
  settings: Choice,
): readonly GuidedTool[] {
  const { 'tools.mode': mode, 'tools.advertise': wanted, 'tools.definitions': described } = settings
  if (mode === 'disabled') return []
  const tools = new Map<string, GuidedTool>()
  for (const { name, description, inputSchema, guide } of advertised)
    tools.set(name, { name, description, inputSchema: withoutGuide(inputSchema, guide), guide })
  for (const { name, description, parameters } of described) {
    const isAdvertised = mode === 'parse_only' || (wanted.includes(name) && !tools.has(name))
    if (isAdvertised) tools.set(name, { name, description, inputSchema: parameters, guide: null })
  }
  return [...tools.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** A schema as a model needs it: what every one of them says is left out, and what the instructions say of a tool is not said twice. */
function withoutGuide(schema: JsonObject, guide: string | null): JsonObject {
  const { $schema: _dialect, description: _title, properties, ...rest } = schema
  if (!isJsonObject(properties)) return rest
  const shorter = Object.entries(properties).map(([name, property]) => {
    const says = isJsonObject(property) ? property['description'] : null
    if (guide === null || typeof says !== 'string' || !says.includes(guide)) return [name, property]
    return [name, { ...(property as JsonObject), description: says.replace(guide, '').trim() }]
  })
  return { ...rest, properties: Object.fromEntries(shorter) as JsonObject }
}
