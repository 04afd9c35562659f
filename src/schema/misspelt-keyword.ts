import { isJsonObject } from '../core/json/value.ts'
import type { JsonValue } from '../core/json/value.ts'
import { nearest } from '../core/text/nearest.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const OF_SCHEMA = new Set(
  'items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties contentSchema not if then else'.split(
    ' ',
  ),
)
const OF_LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const OF_NAMES = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'])

const WITHOUT_SCHEMAS =
  '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment type enum const multipleOf maximum ' +
  'exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains ' +
  'minContains maxProperties minProperties required dependentRequired title description default deprecated readOnly ' +
  'writeOnly examples format contentEncoding contentMediaType'

const KEYWORDS = new Set([...OF_SCHEMA, ...OF_LIST, ...OF_NAMES, ...WITHOUT_SCHEMAS.split(' ')])

/** Annotations of other tools that resemble a keyword. */
const FOREIGN = new Set(['id', 'example', 'dependencies', 'additionalItems', 'enumNames', 'enumDescriptions'])

/** A keyword that checks nothing because it is misspelt. */
export interface Misspelt {
  /** A JSON pointer. */
  readonly at: string
  readonly message: string
}

/**
 * The first word in a schema that resembles a keyword without being one. JSON Schema ignores words that it does not
 * know, so that `minlength` would silently check nothing.
 */
export function findMisspelt(schema: JsonValue, at = ''): Misspelt | null {
  if (!isJsonObject(schema)) return null
  for (const [word, value] of Object.entries(schema)) {
    const meant =
      KEYWORDS.has(word) || FOREIGN.has(word) || /^x-/i.test(word) ? null : nearest(word, KEYWORDS)
    const here = `${at}/${escapeStep(word)}`
    if (meant !== null)
      return { at: here, message: `is not a keyword of JSON Schema; did you mean ${meant}?` }
    for (const [step, inner] of schemasIn(word, value)) {
      const found = findMisspelt(inner, here + step)
      if (found !== null) return found
    }
  }
  return null
}

/** The schemas in the value of a keyword, each with its step of the pointer. */
function schemasIn(keyword: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (OF_SCHEMA.has(keyword)) return [['', value]]
  if (OF_LIST.has(keyword) && Array.isArray(value))
    return value.map((one: JsonValue, index) => [`/${index}`, one] as const)
  if (!OF_NAMES.has(keyword) || !isJsonObject(value)) return []
  return Object.entries(value).map(([name, one]) => [`/${escapeStep(name)}`, one] as const)
}

function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
