import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { nearest } from '../core/text/nearest.ts'

/** How the value of a keyword contains further schemas. */
const CONTAINS: Readonly<Record<string, 'schema' | 'list' | 'map'>> = {
  $defs: 'map',
  definitions: 'map',
  properties: 'map',
  patternProperties: 'map',
  dependentSchemas: 'map',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  prefixItems: 'list',
  items: 'schema',
  contains: 'schema',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  unevaluatedItems: 'schema',
  unevaluatedProperties: 'schema',
  contentSchema: 'schema',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
}

const WITHOUT_SCHEMAS =
  '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment type enum const multipleOf maximum ' +
  'exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains ' +
  'minContains maxProperties minProperties required dependentRequired title description default deprecated readOnly ' +
  'writeOnly examples format contentEncoding contentMediaType'

const KEYWORDS = new Set([...Object.keys(CONTAINS), ...WITHOUT_SCHEMAS.split(' ')])

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
    const meant = KEYWORDS.has(word) || FOREIGN.has(word) || /^x-/i.test(word) ? null : nearest(word, KEYWORDS)
    const here = `${at}/${word.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (meant !== null) return { at: here, message: `is not a keyword of JSON Schema; did you mean ${meant}?` }
    for (const [step, inner] of schemasIn(word, value)) {
      const found = findMisspelt(inner, here + step)
      if (found !== null) return found
    }
  }
  return null
}

function schemasIn(keyword: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  switch (Object.hasOwn(CONTAINS, keyword) ? CONTAINS[keyword] : undefined) {
    case 'schema':
      return [['', value]]
    case 'list':
      return Array.isArray(value) ? value.map((one: JsonValue, index) => [`/${index}`, one] as const) : []
    case 'map':
      return isJsonObject(value)
        ? Object.entries(value as JsonObject).map(([name, one]) => [
            `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            one,
          ])
        : []
    case undefined:
      return []
  }
}
