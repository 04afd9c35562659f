import type { Settings } from '../config/keys.ts'
import type { ToolDefinition } from '../core/registry.ts'
import type { AdvertisedTool } from '../model/model-client.ts'

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
    tools.set(name, { name, description, inputSchema, guide })
  for (const { name, description, parameters } of described) {
    const isTold = mode === 'parse_only' || (wanted.includes(name) && !tools.has(name))
    if (isTold) tools.set(name, { name, description, inputSchema: parameters, guide: null })
  }
  return [...tools.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
