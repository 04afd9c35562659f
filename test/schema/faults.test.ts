import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { defineTool } from '../../src/tools/define/define-tool.ts'
import { DIALECT, findSchemaFaults, object, schemaDocument, string } from '../../src/schema/schema.ts'
import { faultOf, fits, when } from './fits.ts'
import { randomValue } from './random-schema.ts'
import { roundsOf } from '../harness/long-run.ts'

/** Every keyword but those whose value may be refused for what it says and not for its form. */
const KEYWORDS = `
  $comment $defs $vocabulary $anchor $dynamicAnchor definitions dependencies
  title description default deprecated readOnly writeOnly examples
  format contentEncoding contentMediaType contentSchema type enum const
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
  pattern maxItems minItems uniqueItems maxContains minContains maxProperties
  minProperties required dependentRequired prefixItems items contains additionalProperties
  properties patternProperties dependentSchemas propertyNames if then else
  allOf anyOf oneOf not unevaluatedItems unevaluatedProperties madeUp
`
  .trim()
  .split(/\s+/)

const PLACES: readonly ((schema: JsonValue) => JsonObject)[] = [
  (schema) => ({ allOf: [schema] }),
  (schema) => ({ properties: { x: schema } }),
  (schema) => ({ prefixItems: [true, schema] }),
  (schema) => ({ $defs: { unused: schema } }),
  (schema) => when(undefined, schema),
  (schema) => ({ dependentSchemas: { y: schema } }),
  (schema) => ({ contentSchema: schema }),
  (schema) => ({ unevaluatedItems: schema }),
]

const oddities = fc.constantFrom<JsonValue>(
  'object',
  ['string'],
  ['null', 'null'],
  ['a', 'a'],
  -1,
  1.5,
  [{}],
  { a: ['x'] },
  '_x',
  '-x',
)

describe('schemas that are none', () => {
  it('R-SCH-1: what the description of the dialect rejects is refused, wherever it stands, and nothing else is', () => {
    const judge = new Ajv2020({ strict: false, validateFormats: false })
    const seen = { good: 0, bad: 0 }
    fc.assert(
      fc.property(
        fc.constantFrom(...PLACES),
        fc.constantFrom(...KEYWORDS),
        fc.oneof(randomValue, oddities),
        (place, keyword, value) => {
          const schema = place({ [keyword]: value })
          const isSound = judge.validateSchema(schema) === true
          seen[isSound ? 'good' : 'bad'] += 1
          expect([schema, compileSchema(schema).ok]).toEqual([schema, isSound])
        },
      ),
      { numRuns: roundsOf(300, 3000) },
    )
    expect(Math.min(seen.good, seen.bad)).toBeGreaterThan(roundsOf(20, 300))
  })

  it.for<readonly [unknown, string, RegExp]>([
    [{ type: 5 }, '/type', /must be one of array, boolean, .*, not 5/],
    [{ type: 'text' }, '/type', /not "text"/],
    [{ properties: { a: { minimum: 'x' } } }, '/properties/a/minimum', /^must be a number, not string$/],
    [
      { properties: { 'a/b~c': { minLength: -1 } } },
      '/properties/a~1b~0c/minLength',
      /whole number from 0, not -1/,
    ],
    [{ multipleOf: 0 }, '/multipleOf', /greater than 0/],
    [{ items: [true] }, '/items', /prefixItems/],
    [
      { items: { anyOf: [true, 3] } },
      '/items/anyOf/1',
      /must be a schema, an object or a boolean, not number/,
    ],
    [{ allOf: [] }, '/allOf', /at least one schema/],
    [{ required: ['a', 'a'] }, '/required', /different strings/],
    [{ pattern: '(' }, '/pattern', /not a regular expression.*Unterminated group/],
    [{ pattern: '\\-' }, '/pattern', /not a regular expression/],
    [{ patternProperties: { '[': true } }, '/patternProperties/[', /not a regular expression/],
    [{ $id: 'a#b' }, '/$id', /fragment/],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, '/$defs/b/$id', /a second time/],
    [{ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, '/$defs/b/$anchor', /a second time/],
    [{ $defs: { a: { $id: 'http://[' } } }, '/$defs/a/$id', /not a valid address/],
    [{ $id: 'http://[' }, '/$id', /not a valid address/],
    [{ $anchor: '1' }, '/$anchor', /letter/],
    [{ $defs: { unused: { title: 1 } } }, '/$defs/unused/title', /must be a string, not number/],
  ])('R-SCH-1: %j is refused at %s', ([schema, at, message]) => {
    expect(faultOf(schema)).toEqual({ at, message: expect.stringMatching(message) })
  })

  it('SRD/D-02, FR-VAL-01a: one dialect is in use; another is refused by name, and none means this one', () => {
    for (const $schema of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'x',
      5,
    ]) {
      expect(faultOf({ $schema })).toEqual({
        at: '/$schema',
        message: expect.stringContaining(`not ${JSON.stringify($schema)}`),
      })
      expect(faultOf({ items: { $id: 'x', $schema } }).at).toBe('/items/$schema')
    }
    for (const dialect of [{}, { $schema: DIALECT }, { $schema: `${DIALECT}#` }]) {
      expect(fits({ ...dialect, prefixItems: [{ type: 'string' }] }, [1])).toBe(false)
    }
  })

  it('R-SCH-1: a tool whose schema does not compile is refused when it is defined, with the place', () => {
    expect(() => define({ minLength: 1 })).not.toThrow()
    expect(() => define({ minLength: 'x' })).toThrow(
      'tool "say": input schema at /properties/word/minLength must be a number, not string',
    )
    expect(() => define({ $ref: '#/$defs/gone' })).toThrow('/properties/word/$ref')
    expect(() => define({ pattern: '(a)\\1' })).toThrow('/properties/word/pattern has a backreference')
    const deep = Array.from({ length: 5000 }).reduce<JsonObject>((items) => ({ items }), {})
    expect(() => define({ items: deep })).toThrow('is nested deeper than')
    const handMade = { json: { type: 'string', description: 'x', minLength: -1 } }
    expect(findSchemaFaults(schemaDocument(object({ word: handMade }, 'x')))).toEqual([
      { at: '/properties/word/minLength', message: expect.stringContaining('from 0') },
    ])
  })

  it.for([
    ['minlength', 'minLength'],
    ['maxLenght', 'maxLength'],
    ['patern', 'pattern'],
    ['requried', 'required'],
    ['additionalproperties', 'additionalProperties'],
    ['types', 'type'],
    ['ref', '$ref'],
  ] as const)(
    'R-SCH-1: the misspelt keyword %s is refused when a tool is defined, and %s is proposed',
    ([word, meant]) => {
      expect(() => define({ [word]: 1 })).toThrow(
        `tool "say": input schema at /properties/word/${word} is not a keyword of JSON Schema; did you mean ${meant}?`,
      )
      expect(() => define({ items: { anyOf: [{}, { [word]: 1 }] } })).toThrow(
        `/properties/word/items/anyOf/1/${word}`,
      )
    },
  )

  it('annotations of others, and properties of any name, are not taken for misspelt keywords', () => {
    const properties = {
      minlength: { type: 'string', description: 'x' },
      typ: { type: 'string', description: 'x' },
    }
    expect(() =>
      define({ 'x-order': 1, example: 'a', nullable: true, units: 'ms', label: 'Word', widget: 'text' }),
    ).not.toThrow()
    expect(() =>
      define({
        type: 'object',
        properties,
        required: [],
        additionalProperties: false,
        default: { patern: 1 },
      }),
    ).not.toThrow()
  })

  it('no nesting and no number of schemas gets through the limits', () => {
    const deep = Array.from({ length: 5000 }).reduce<JsonObject>((not) => ({ not }), {})
    expect(faultOf(deep).message).toContain('nested deeper than')
    const loop: Record<string, JsonValue> = {}
    loop['not'] = loop
    expect(faultOf(loop).message).toContain('nested deeper than')
    const twice = Array.from({ length: 40 }).reduce<JsonObject>((one) => ({ allOf: [one, one] }), {})
    expect(faultOf(twice).message).toContain('too many')
    expect(faultOf({ $ref: '#/$defs/a', $defs: { a: twice } }).message).toContain('too many')
  })
})

function define(json: JsonObject): unknown {
  const word = { type: 'string', description: 'A word', ...json }
  return defineTool({
    name: 'say',
    version: '1.0.0',
    description: 'Says',
    effect: 'read',
    input: {
      $schema: DIALECT,
      type: 'object',
      properties: { word },
      required: [],
      additionalProperties: false,
    },
    output: object({ said: string('It') }, 'Said'),
    run: () => ({ said: '' }),
  })
}
