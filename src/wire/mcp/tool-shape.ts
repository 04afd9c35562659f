import type { JsonObject } from '../../core/json/value.ts'
import type { ToolDefinition } from '../../core/registry.ts'

/** A tool as MCP lists it. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  readonly outputSchema: JsonObject & { readonly type: 'object' }
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** Effects that can destroy what undo does not bring back. */
const DESTRUCTIVE: ReadonlySet<string> = new Set(['spawn', 'external'])

/** A tool as MCP lists it; the hints say what its own declaration says. */
export function toMcpTool(definition: ToolDefinition): McpTool {
  const { name, title, description, effect, capabilities, idempotent } = definition
  return {
    name,
    title,
    description,
    inputSchema: asObjectSchema(definition.inputSchema),
    outputSchema: asObjectSchema(definition.outputSchema),
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: DESTRUCTIVE.has(effect) || (effect === 'edit' && !idempotent),
      idempotentHint: effect === 'read' || idempotent,
      openWorldHint: effect === 'external' || capabilities.includes('network.connect'),
    },
  }
}

/** MCP wants the type of the whole to be said, also where a schema implies it. */
function asObjectSchema(schema: JsonObject): McpTool['inputSchema'] {
  return { ...schema, type: 'object' }
}
