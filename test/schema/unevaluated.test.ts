import { describe, expect, it } from 'vitest'
import { fits, when } from './fits.ts'

const A = { properties: { a: { type: 'string' } } }
const B = { properties: { b: { type: 'string' } }, required: ['b'] }
const C = { properties: { c: true } }

type Row = readonly [name: string, schema: unknown, good: readonly unknown[], bad: readonly unknown[]]

describe('what no keyword has looked at', () => {
  it.for<Row>([
    ['nothing else', { unevaluatedProperties: false }, [{}, [1], 'x'], [{ a: 1 }]],
    [
      'a schema for the rest',
      { ...A, unevaluatedProperties: { type: 'integer' } },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }, { a: 1 }],
    ],
    [
      'names and patterns',
      { ...A, patternProperties: { '^x': true }, unevaluatedProperties: false },
      [{ a: '', x1: 1 }],
      [{ y: 1 }],
    ],
    [
      'additionalProperties, which looks at all',
      { ...A, additionalProperties: true, unevaluatedProperties: false },
      [{ z: 1 }],
      [],
    ],
    ['required, which looks at nothing', { required: ['a'], unevaluatedProperties: false }, [], [{ a: 1 }]],
    ['allOf', { allOf: [A, C], unevaluatedProperties: false }, [{ a: '', c: 1 }], [{ d: 1 }]],
    [
      'the forms of anyOf that fit',
      { anyOf: [A, B], unevaluatedProperties: false },
      [{ a: '' }, { b: '' }, { a: '', b: '' }],
      [
        { a: '', c: 1 },
        { a: 1, b: '', c: 1 },
      ],
    ],
    [
      'a form of anyOf that fails',
      { anyOf: [{ ...B, properties: { b: true, x: true } }, true], unevaluatedProperties: false },
      [{ b: 1, x: 1 }],
      [{ x: 1 }],
    ],
    [
      'oneOf',
      { oneOf: [{ ...A, required: ['a'] }, B], unevaluatedProperties: false },
      [{ a: '' }, { b: '' }],
      [
        { a: '', c: 1 },
        { a: '', b: '' },
      ],
    ],
    [
      'not, which keeps what it sees to itself',
      { not: { not: A }, unevaluatedProperties: false },
      [{}],
      [{ a: '' }],
    ],
    [
      'if that holds, and then',
      { ...when(B, C, A), unevaluatedProperties: false },
      [{ b: '', c: 1 }],
      [{ b: '', a: '' }],
    ],
    [
      'if that does not hold, and else',
      { ...when(B, C, A), unevaluatedProperties: false },
      [{ a: '' }],
      [{ c: 1 }],
    ],
    ['if alone', { if: B, unevaluatedProperties: false }, [{ b: '' }], [{ b: '', x: 1 }, { x: 1 }]],
    [
      'dependentSchemas',
      { ...A, dependentSchemas: { a: C }, unevaluatedProperties: false },
      [{ a: '', c: 1 }],
      [{ c: 1 }],
    ],
    [
      'dependentSchemas of a name that is not there',
      { ...A, dependentSchemas: { b: C }, unevaluatedProperties: false },
      [{ a: '' }],
      [{ a: '', c: 1 }],
    ],
    [
      'references',
      { $ref: '#/$defs/x', unevaluatedProperties: false, $defs: { x: A } },
      [{ a: '' }],
      [{ b: 1 }],
    ],
    [
      'an inner schema that does not see its neighbours',
      { allOf: [A, { unevaluatedProperties: false }] },
      [{}],
      [{ a: '' }],
    ],
    [
      'an inner schema that has seen all',
      { ...A, allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false },
      [{ z: 1 }],
      [],
    ],
    [
      'a child, whose members are its own',
      { properties: { a: A }, unevaluatedProperties: false },
      [{ a: { b: 1 } }],
      [{ b: 1 }],
    ],
    [
      'names that every object inherits',
      { ...A, unevaluatedProperties: false },
      [{}],
      [{ constructor: 1 }, { toString: 1 }],
    ],
  ])('properties: %s', ([, schema, good, bad]) => {
    for (const value of good) expect([value, fits(schema, value)]).toEqual([value, true])
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false])
  })

  it.for<Row>([
    ['nothing else', { unevaluatedItems: false }, [[], {}, 'x'], [[1]]],
    [
      'a schema for the rest',
      { prefixItems: [true], unevaluatedItems: { type: 'string' } },
      [[1, 'a']],
      [[1, 2]],
    ],
    ['items, which looks at all', { items: true, unevaluatedItems: false }, [[1, 2]], []],
    ['prefixItems', { prefixItems: [true, true], unevaluatedItems: false }, [[1, 2], [1]], [[1, 2, 3]]],
    [
      'allOf',
      { prefixItems: [true], allOf: [{ prefixItems: [true, true] }], unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    [
      'the forms of anyOf that fit',
      {
        anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }],
        unevaluatedItems: false,
      },
      [[1], [1, 2], [3, 2]],
      [
        [1, 3],
        [3, 3],
      ],
    ],
    [
      'anyOf with items',
      { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
      [['a', 'b'], [true]],
      [['a', true]],
    ],
    ['oneOf', { oneOf: [true, { items: {}, not: {} }], unevaluatedItems: false }, [[]], [[1]]],
    [
      'contains, which sees what it finds',
      { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
      [[1, 'a', 'b']],
      [
        [1, 2],
        [1, 'a', 2],
      ],
    ],
    [
      'contains in allOf',
      {
        allOf: [{ contains: { multipleOf: 2 } }, { contains: { multipleOf: 3 } }],
        unevaluatedItems: { multipleOf: 5 },
      },
      [[2, 3, 4, 5, 6]],
      [
        [2, 3, 7],
        [2, 4, 8],
      ],
    ],
    [
      'if, then and else',
      { ...when({ prefixItems: [{ const: 1 }] }, { prefixItems: [true, true] }), unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3], [2]],
    ],
    [
      'an inner schema that has seen all',
      { allOf: [{ unevaluatedItems: true }], unevaluatedItems: false },
      [[1]],
      [],
    ],
    [
      'an inner schema that does not see its neighbours',
      { allOf: [{ prefixItems: [true] }, { unevaluatedItems: false }] },
      [[]],
      [[1]],
    ],
  ])('items: %s', ([, schema, good, bad]) => {
    for (const value of good) expect([value, fits(schema, value)]).toEqual([value, true])
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false])
  })
})
