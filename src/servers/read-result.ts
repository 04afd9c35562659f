import { failure } from '../core/error.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { isLonger, truncateText } from '../core/text/truncate.ts'
import { compileSchema } from '../schema/compile-schema.ts'
import type { Definition } from './definition.ts'

/** The result of a foreign call as it is recorded. */
export interface ForeignResult {
  readonly text: string
  readonly structured?: JsonObject
  /** What confines the server, if that is not the command sandbox. */
  readonly sandbox?: string
}

const DEEPEST = 64
const MOST_FAULT_CHARS = 2_000

/**
 * Reads the result of a call: its text made safe and cut, its structure checked by the trusted schema. Throws a
 * ToolFailure if the server reports an error or answers something else than it promised.
 */
export function readResult(raw: unknown, definition: Definition, maxBytes: number): ForeignResult {
  const result = isJsonObject(raw) ? raw : {}
  const content: readonly JsonValue[] = Array.isArray(result['content']) ? result['content'] : []
  const whole = sanitise(content.map(describePart).join('\n'))
  if (result['isError'] === true)
    throw failure(
      'execution_failed',
      whole === '' ? 'The server reports an error without saying which.' : whole.slice(0, MOST_FAULT_CHARS),
    )
  const structured = result['structuredContent']
  const { text } = truncateText(whole, maxBytes)
  if (definition.outputSchema !== null) checkStructure(structured, definition.outputSchema, definition.name)
  if (!isJsonObject(structured)) return { text }
  if (depthOf(structured, DEEPEST) > DEEPEST)
    throw failure('output_invalid', 'The structured result is nested too deeply.')
  if (isLonger(JSON.stringify(structured), maxBytes))
    return { text: truncateText(`${whole}\n[structured content left out: too long]`, maxBytes).text }
  return { text, structured }
}

/** Refuses a result that is not what the trusted definition promises. */
function checkStructure(structured: unknown, schema: JsonObject, name: string): void {
  const compiled = compileSchema(schema)
  const problems = compiled.ok ? compiled.validate(structured) : []
  const [first] = problems
  if (compiled.ok && isJsonObject(structured) && first === undefined) return
  const why = isJsonObject(structured)
    ? (first?.message ?? 'the schema cannot be used')
    : 'it has no structured content'
  throw failure(
    'output_invalid',
    `The result of ${name} does not fit the output schema that was trusted: ${why}.`,
  )
}

function describePart(part: JsonValue): string {
  if (!isJsonObject(part)) return ''
  const textOf = (name: string): string => (typeof part[name] === 'string' ? part[name] : '')
  switch (part['type']) {
    case 'text':
      return textOf('text')
    case 'image':
    case 'audio':
      return `[${part['type']}, ${textOf('mimeType')}, ${textOf('data').length} characters of base64, left out]`
    case 'resource_link':
      return `[resource ${textOf('name')} ${textOf('uri')}]`
    case 'resource': {
      const inner = isJsonObject(part['resource']) ? part['resource'] : {}
      return typeof inner['text'] === 'string'
        ? inner['text']
        : `[resource ${String(inner['uri'] ?? '')}, left out]`
    }
    default:
      return ''
  }
}

/** How deep a value nests, as far as `most` levels and one more. */
function depthOf(value: JsonValue | undefined, most: number): number {
  if (value === null || value === undefined || typeof value !== 'object') return 0
  if (most < 0) return 1
  const items: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value)
  return 1 + items.reduce<number>((deepest, item) => Math.max(deepest, depthOf(item, most - 1)), 0)
}
