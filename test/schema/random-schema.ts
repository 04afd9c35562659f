import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { DIALECT } from '../../src/schema/schema.ts'

const NAMES = ['a', 'b', 'c', 'ab', 'toString', 'constructor']
const TEXTS = ['', 'a', 'b', 'ab', 'abc', 'b1', '😀', 'a😀', '😀😀', 'toString']
const NUMBERS = [-2, -1, 0, 1, 2, 3, 4, 6, 0.5, 1.5, 2.25, 1e15]
const PATTERNS = [
  'a',
  '^a',
  'b$',
  '^(a|b)+$',
  '^.$',
  '^(a+)+$',
  '\\d',
  '^[^b]*$',
  '^\\p{L}+$',
  '(?:)',
  '^(?=a)',
]
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const name = fc.constantFrom(...NAMES)
const count = fc.nat({ max: 3 })

/** Small values out of the same few names and texts that the schemas speak of, so that they often fit. */
export const randomValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, ...NUMBERS, ...TEXTS),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

type Entry = fc.Arbitrary<readonly [string, JsonValue]>

function entry(keyword: string, value: fc.Arbitrary<JsonValue>): Entry {
  return fc.tuple(fc.constant(keyword), value)
}

function keywordEntries(inner: fc.Arbitrary<JsonValue>): readonly Entry[] {
  const number = fc.constantFrom(...NUMBERS)
  const pattern = fc.constantFrom(...PATTERNS)
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  const names = fc.uniqueArray(name, { maxLength: 2 })
  const named = (value: fc.Arbitrary<JsonValue>) =>
    fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true })
  const type = fc.constantFrom(...TYPES)
  return [
    entry('type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
    entry('type', type),
    entry('enum', fc.array(randomValue, { minLength: 1, maxLength: 4 })),
    entry('const', randomValue),
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) =>
      entry(keyword, number),
    ),
    entry('multipleOf', fc.constantFrom(1, 2, 3, 0.5)),
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) =>
      entry(keyword, count),
    ),
    entry('pattern', pattern),
    entry('uniqueItems', fc.boolean()),
    ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not'].map((keyword) =>
      entry(keyword, inner),
    ),
    ...['if', 'then', 'else'].map((keyword) => entry(keyword, inner)),
    ...['unevaluatedItems', 'unevaluatedProperties'].map((keyword) =>
      entry(keyword, fc.oneof(fc.constant(false), inner)),
    ),
    entry('minContains', count),
    entry('maxContains', count),
    ...['prefixItems', 'allOf', 'anyOf', 'oneOf'].map((keyword) => entry(keyword, list)),
    ...['properties', 'properties', 'dependentSchemas'].map((keyword) => entry(keyword, named(inner))),
    entry('patternProperties', fc.dictionary(pattern, inner, { maxKeys: 2, noNullPrototype: true })),
    entry('required', names),
    entry('dependentRequired', named(names)),
    entry('$ref', fc.constantFrom('#', '#/$defs/one', '#/$defs/two', '#here')),
    entry('title', fc.constantFrom(...TEXTS)),
    entry('madeUp', randomValue),
  ]
}

/** Forms of an object that has nothing else, where it matters which of them fit. */
const closedForms: fc.Arbitrary<JsonValue> = fc
  .tuple(
    fc.constantFrom('anyOf', 'oneOf', 'allOf'),
    fc.array(
      fc.dictionary(
        fc.constantFrom('a', 'b', 'c'),
        fc.constantFrom<JsonValue>({ type: 'string' }, { type: 'number' }, { type: 'object' }, true),
        { maxKeys: 3, noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([keyword, forms]) => ({
    [keyword]: forms.map((properties) => ({ properties })),
    unevaluatedProperties: false,
  }))

const inner: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<JsonValue>(
      true,
      false,
      {},
      { type: 'string' },
      { type: 'object' },
      { $ref: '#/$defs/one' },
    ),
    {
      weight: 8,
      arbitrary: fc
        .array(fc.oneof(...keywordEntries(tie('schema'))), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    },
    closedForms,
  ),
})).schema

/** Schemas over all keywords, with definitions to refer to. */
export const randomSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(inner, inner, inner)
  .map(([root, one, two]) => ({
    $schema: DIALECT,
    ...(typeof root === 'object' && root !== null ? (root as JsonObject) : { allOf: [root] }),
    $defs: {
      one:
        typeof one === 'object'
          ? { ...(one as JsonObject), $anchor: 'here' }
          : { allOf: [one], $anchor: 'here' },
      two,
    },
  }))
