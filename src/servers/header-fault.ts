import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { IN_LIST, IN_MAP, IN_ONE } from '../schema/resources.ts'

/** The keyword by which a schema wants an argument repeated as a header. */
const KEYWORD = 'x-mcp-header'
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Types whose values have one spelling; a number has many. */
const TYPES: ReadonlySet<JsonValue | undefined> = new Set(['string', 'integer', 'boolean'])
const SHOWN_PATH = 60

/** What is wrong with the arguments that a schema wants as headers; null if nothing is, or if it wants none. */
export function headerFault(inputSchema: JsonObject): string | null {
  return faultAt(inputSchema, { path: '', isArgument: true, names: new Set() })
}

interface Place {
  readonly path: string
  /** Whether nothing but names of properties leads here: other values may be absent, repeated or chosen. */
  readonly isArgument: boolean
  /** The headers that were found already, in small letters. */
  readonly names: Set<string>
}

function faultAt(schema: JsonValue, place: Place): string | null {
  if (!isJsonObject(schema)) return null
  const own = Object.hasOwn(schema, KEYWORD) ? ownFault(schema, place) : null
  if (own !== null) return `wants ${place.path.slice(0, SHOWN_PATH) || 'all of it'} as a header, ${own}`
  for (const [keyword, value] of Object.entries(schema)) {
    const isArgument = place.isArgument && keyword === 'properties'
    for (const [name, child] of schemasIn(keyword, value)) {
      const path = place.path === '' ? name : `${place.path}.${name}`
      const fault = faultAt(child, { ...place, path, isArgument })
      if (fault !== null) return fault
    }
  }
  return null
}

function schemasIn(keyword: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (IN_MAP.has(keyword)) return isJsonObject(value) ? Object.entries(value) : []
  if (IN_LIST.has(keyword)) return Array.isArray(value) ? value.map((child) => [keyword, child]) : []
  return IN_ONE.has(keyword) ? [[keyword, value]] : []
}

/** What is wrong with the keyword where it stands; notes the header. */
function ownFault(schema: JsonObject, { path, isArgument, names }: Place): string | null {
  const name = schema[KEYWORD]
  if (!isArgument || path === '') return 'which only an argument or a property of one can be'
  if (typeof name !== 'string' || !HEADER_NAME.test(name))
    return 'but its name is not one that a header can have'
  if (!TYPES.has(schema['type'])) return 'but it is neither a string nor an integer nor a boolean'
  if (names.has(name.toLowerCase())) return 'but another argument has the same header'
  names.add(name.toLowerCase())
  return null
}
