import type { Settings } from '../../config/keys.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
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
  for (const { name, description, inputSchema, guide } of advertised)
    tools.set(name, { name, description, inputSchema: withoutGuide(inputSchema, guide), guide })
  for (const { name, description, parameters } of described) {
    const isAdvertised = mode === 'parse_only' || (wanted.includes(name) && !tools.has(name))
    if (isAdvertised) tools.set(name, { name, description, inputSchema: parameters, guide: null })
  }
  return [...tools.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** A schema without what all of them share, and without the guide, which is already in the instructions. */
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
