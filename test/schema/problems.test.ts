import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { describeSchemaProblem } from '../../src/schema/problem.ts'
import { problemsOf, when, wordsOf } from './fits.ts'

const point = {
  type: 'object',
  properties: { kind: { const: 'point' }, x: { type: 'number' } },
  required: ['kind', 'x'],
  additionalProperties: false,
}
const circle = {
  type: 'object',
  properties: { kind: { const: 'circle' }, r: { type: 'number', minimum: 0 } },
  required: ['kind', 'r'],
  additionalProperties: false,
}

describe('what is said of a value that does not fit', () => {
  it.for<readonly [unknown, unknown, readonly string[]]>([
    [{ type: 'string' }, 5, ['args must be string, not number']],
    [{ type: ['string', 'null'] }, [], ['args must be string or null, not array']],
    [{ type: 'string', minLength: 3, enum: ['abc'] }, null, ['args must be string, not null']],
    [{ required: ['path'] }, {}, ['args needs "path"']],
    [
      { properties: { word: true }, additionalProperties: false },
      { wrod: 1 },
      ['args has the unknown property "wrod"; did you mean "word"?'],
    ],
    [
      { properties: { word: true, times: true }, additionalProperties: false },
      { zzzzzzzz: 1 },
      ['args has the unknown property "zzzzzzzz"; known are "word", "times"'],
    ],
    [
      { properties: { word: true }, additionalProperties: false },
      { zzzz: 1, yyyy: 2 },
      ['args has the unknown property "zzzz"; known are "word"', 'args has the unknown property "yyyy"'],
    ],
    [{ additionalProperties: false }, { a: 1 }, ['args has the unknown property "a"']],
    [
      { required: ['b'], additionalProperties: false },
      { c: 1 },
      ['args has the unknown property "c"', 'args needs "b"'],
    ],
    [
      { properties: { word: true }, unevaluatedProperties: false },
      { wrod: 1 },
      ['args has the unknown property "wrod"; did you mean "word"?'],
    ],
    [{ items: { properties: { n: { minimum: 1 } } } }, [{ n: 1 }, { n: 0 }], ['args[1].n must be >= 1']],
    [{ maximum: 1 }, 2, ['args must be <= 1']],
    [{ exclusiveMinimum: 1 }, 1, ['args must be > 1']],
    [{ exclusiveMaximum: 1 }, 1, ['args must be < 1']],
    [{ multipleOf: 2 }, 1, ['args must be a multiple of 2']],
    [{ enum: ['a', 'b', null] }, 'c', ['args must be one of "a", "b", null']],
    [{ const: { a: 1 } }, 'c', ['args must be {"a":1}']],
    [{ minLength: 1 }, '', ['args must have at least 1 character']],
    [{ maxLength: 2 }, 'abc', ['args must have at most 2 characters']],
    [{ pattern: '^a"' }, 'b', ['args must match the pattern "^a\\""']],
    [{ minItems: 2 }, [], ['args must have at least 2 items']],
    [{ maxItems: 0 }, [1], ['args must have at most 0 items']],
    [{ prefixItems: [true], items: false }, [1, 2], ['args must have at most 1 item']],
    [{ prefixItems: [true, false] }, [1, 2], ['args[1] is not allowed here']],
    [
      { uniqueItems: true },
      [3, { a: 1 }, { a: 1 }],
      ['args must not repeat an item, but [1] and [2] are the same'],
    ],
    [{ contains: { const: 1 } }, [2], ['args must have at least 1 item of the kind under "contains", not 0']],
    [
      { contains: { const: 1 }, maxContains: 1 },
      [1, 1],
      ['args must have at most 1 item of the kind under "contains", not 2'],
    ],
    [{ minProperties: 2 }, {}, ['args must have at least 2 properties']],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, ['args must have at most 1 property']],
    [
      { propertyNames: { pattern: '^[a-z]' } },
      { X: 1 },
      ['args has a property named "X", which must match the pattern "^[a-z]"'],
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['args has "a" and so needs "b"']],
    [{ not: {} }, 1, ['args has the form that "not" excludes']],
    [
      { anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] },
      [],
      ['args must be string or integer or null, not array'],
    ],
    [
      { properties: { shape: { oneOf: [point, circle] } } },
      { shape: { kind: 'circle', r: -1 } },
      ['args.shape fits none of its 2 forms; closest match: args.shape.r must be >= 0'],
    ],
    [
      { anyOf: [{ type: 'string' }, point] },
      { kind: 'point' },
      ['args fits none of its 2 forms; closest match: args needs "x"'],
    ],
    [
      { oneOf: [{ type: 'number' }, { minimum: 0 }] },
      1,
      ['args fits 2 of 2 forms, where it must fit exactly one'],
    ],
    [when({ type: 'string' }, { minLength: 2 }), 'a', ['args must have at least 2 characters']],
  ])('%j says of %j: %j', ([schema, value, words]) => {
    expect(wordsOf(schema, value)).toEqual(words)
  })

  it('places are spelt so that nothing in them can be mistaken', () => {
    const anywhere = {
      $defs: {
        x: {
          type: ['object', 'array'],
          additionalProperties: { $ref: '#/$defs/x' },
          items: { $ref: '#/$defs/x' },
        },
      },
      $ref: '#/$defs/x',
    }
    expect(wordsOf(anywhere, { 'a.b': { 'c d': [{ '': 1 }] } })).toEqual([
      'args["a.b"]["c d"][0][""] must be object or array, not number',
    ])
    expect(wordsOf(anywhere, { '\u001b[31m\u202e': 1 })).toEqual([
      'args["\\u001b[31m\\u202e"] must be object or array, not number',
    ])
    const [long] = wordsOf(anywhere, { ['x'.repeat(10_000)]: 1 })
    expect(long?.length).toBeLessThan(200)
  })

  it('a problem carries its pointer, its keyword and what was wanted', () => {
    expect(problemsOf({ properties: { a: { items: { minimum: 3 } } } }, { a: [3, 2] })).toEqual([
      { pointer: ['a', 1], keyword: 'minimum', message: 'must be >= 3', data: { wanted: 3 } },
    ])
    expect(problemsOf({ required: ['a'] }, {})).toEqual([
      { pointer: [], keyword: 'required', message: 'needs "a"', data: { wanted: ['a'], property: 'a' } },
    ])
    const [problem] = problemsOf({ type: 'null' }, 1)
    expect(problem && describeSchemaProblem(problem, 'result')).toBe('result must be null, not number')
  })

  it('all problems are named, up to eight', () => {
    const schema = { items: { type: 'string' } }
    expect(wordsOf(schema, [1, 'a', 2])).toEqual([
      'args[0] must be string, not number',
      'args[2] must be string, not number',
    ])
    expect(
      wordsOf(
        schema,
        Array.from({ length: 100_000 }, () => 1),
      ),
    ).toHaveLength(8)
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]))
    expect(
      wordsOf({ properties: { a: true }, required: ['a'], additionalProperties: false }, unknown),
    ).toHaveLength(8)
  })

  it('a form that was only tried leaves no problem behind', () => {
    expect(wordsOf({ anyOf: [{ type: 'string' }, { type: 'number' }], minimum: 5 }, 1)).toEqual([
      'args must be >= 5',
    ])
    expect(wordsOf({ contains: { type: 'string' }, maxItems: 1 }, [1, 'a'])).toEqual([
      'args must have at most 1 item',
    ])
    expect(wordsOf({ if: { type: 'string' }, else: { minimum: 5 } }, 1)).toEqual(['args must be >= 5'])
  })
})

describe('what is said of a value that fits', () => {
  it('is always the same empty list, which nobody can add to', () => {
    const compiled = compileSchema({ type: 'string' })
    const other = compileSchema({ properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } })
    if (!compiled.ok || !other.ok) throw new Error('must compile')
    expect(compiled.validate('a')).toBe(other.validate({ a: null }))
    expect(Object.isFrozen(compiled.validate('a'))).toBe(true)
  })

  it('does not depend on what was checked before', () => {
    const compiled = compileSchema({
      properties: { a: { $ref: '#' } },
      type: 'object',
      unevaluatedProperties: false,
    })
    if (!compiled.ok) throw new Error('must compile')
    for (let round = 0; round < 3; round += 1) {
      expect(compiled.validate({ a: { b: 1 } })).toHaveLength(1)
      expect(compiled.validate({ a: {} })).toHaveLength(0)
    }
  })
})

describe('hostile schemas and values', () => {
  it.for<readonly [string, unknown]>([
    ['anyOf', { properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, not: { const: 1 } }],
    [
      'oneOf',
      { properties: { a: { oneOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] } }, type: 'object' },
    ],
    ['not', { properties: { a: { not: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } }, not: { const: 2 } }],
  ])('work that doubles with every level under %s ends, and the value is refused', ([, schema]) => {
    expect(wordsOf(schema, nest(60))).toEqual([
      expect.stringMatching(/^args takes more than \d+ steps to check/),
    ])
  })

  it('a value that is deeper than any caller lets in does not exhaust the stack', () => {
    const schema = { properties: { a: { allOf: [{ anyOf: [when(true, { $ref: '#' })] }] } } }
    expect(wordsOf(schema, nest(100_000))).toEqual([expect.stringContaining('too deep')])
    const loop: unknown[] = []
    loop.push(loop)
    expect(wordsOf({ items: { $ref: '#' } }, loop)).toEqual([expect.stringContaining('too deep')])
  })
})

function nest(depth: number): unknown {
  return Array.from({ length: depth }).reduce((a) => ({ a }), 1)
}
