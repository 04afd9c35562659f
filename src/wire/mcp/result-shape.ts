import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'

/** The answer to a call as MCP has it. */
export interface McpCallResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta: JsonObject
}

/** Where the parts of our result lie that MCP has no field for. */
const RESULT_KEY = 'tongs/result'

/**
 * A result as MCP has it. What was returned is structured content; an error is not, because clients hold structured
 * content against the schema of a success.
 */
export function toMcpResult(result: ToolResult): McpCallResult {
  const { id: _id, content, ...rest } = result
  const about = result.ok ? without(rest as unknown as JsonObject, 'result') : (rest as unknown as JsonObject)
  // The text is all that many clients show of an error, so it says what to do next.
  const advice = result.ok ? [] : result.error.recovery.filter((hint) => !content.includes(hint))
  const text = [content, ...advice].join('\n')
  const shared = { content: [{ type: 'text', text }] as const, _meta: { [RESULT_KEY]: about } }
  return result.ok ? { ...shared, structuredContent: result.result } : { ...shared, isError: true }
}

function without(object: JsonObject, key: string): JsonObject {
  const rest: Record<string, JsonValue> = { ...object }
  delete rest[key]
  return rest
}
