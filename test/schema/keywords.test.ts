import { describe, expect, it } from 'vitest'
import { fits, when } from './fits.ts'

/** A schema, what fits it, and what does not. */
type Row = readonly [schema: unknown, good: readonly unknown[], bad: readonly unknown[]]

const every = [null, true, 0, 1.5, 'a', [], {}]

function but(...left: readonly unknown[]): readonly unknown[] {
  return every.filter((value) => !left.includes(value))
}

const emptyArray = every[5]
const emptyObject = every[6]

function check(rows: readonly Row[]): void {
  for (const [schema, good, bad] of rows) {
    for (const value of good) expect([schema, value, fits(schema, value)]).toEqual([schema, value, true])
    for (const value of bad) expect([schema, value, fits(schema, value)]).toEqual([schema, value, false])
  }
}

describe('values are judged as Draft 2020-12 says', () => {
  it.for<readonly [string, readonly Row[]]>([
    [
      'booleans and the empty schema',
      [
        [{}, every, []],
        [{ allOf: [true] }, every, []],
        [{ allOf: [false] }, [], every],
      ],
    ],
    [
      'type',
      [
        [{ type: 'null' }, [null], but(null)],
        [{ type: 'boolean' }, [true, false], but(true)],
        [{ type: 'number' }, [0, 1.5, -1e300], but(0, 1.5)],
        [{ type: 'integer' }, [0, -0, 1.0, 1e300], [1.5, ...but(0, 1.5)]],
        [{ type: 'string' }, ['', 'a'], but('a')],
        [{ type: 'array' }, [[], [1]], but(emptyArray)],
        [{ type: 'object' }, [{}, { a: 1 }], but(emptyObject)],
        [{ type: ['string', 'null'] }, ['a', null], but('a', null)],
        [{ type: ['integer', 'array'] }, [1, []], [1.5, {}, '1']],
        [{ type: 'number' }, [], [Number.NaN, Number.POSITIVE_INFINITY, 1n, undefined, () => 1, Symbol('s')]],
      ],
    ],
    [
      'enum and const by value, whatever the order of keys',
      [
        [
          { enum: [1, 'a', null, [1], { a: 1, b: [2] }] },
          [1, 1.0, 'a', null, [1], { b: [2], a: 1 }],
          [true, '1', [], [1, 1], { a: 1 }],
        ],
        [{ enum: [false] }, [false], [0, '', null, []]],
        [{ enum: [0] }, [0, -0], [false]],
        [{ enum: [] }, [], every],
        [{ const: null }, [null], but(null)],
        [{ const: { a: { b: 1 } } }, [{ a: { b: 1 } }], [{ a: { b: 2 } }, { a: { b: 1 }, c: 1 }, { a: [] }]],
        [{ const: [] }, [[]], [{}, [[]]]],
        [{ const: '😀' }, ['😀'], ['\ud83d']],
      ],
    ],
    [
      'bounds of numbers',
      [
        [{ minimum: 1 }, [1, 2, ...but(0)], [0, 0.999, -5]],
        [{ maximum: 1 }, [1, -2, ...but(1.5)], [1.0001, 2]],
        [{ exclusiveMinimum: 1 }, [1.0001, 'a'], [1, 0]],
        [{ exclusiveMaximum: 1 }, [0.9999, 'a'], [1, 2]],
        [{ minimum: -2, maximum: -1 }, [-2, -1.5, -1], [-3, 0]],
      ],
    ],
    [
      'multipleOf, in decimals as they are written',
      [
        [{ multipleOf: 2 }, [0, 4, -6, 'a', null], [3, 1.5]],
        [{ multipleOf: 0.1 }, [0.3, 1.1, 4, -0.7], [0.35, 1e-5]],
        [{ multipleOf: 0.01 }, [4.35, 19.99, 1e20], [0.005]],
        [{ multipleOf: 1e-8 }, [12391239123], [1e-9]],
        [{ multipleOf: 0.123456789 }, [0.246913578], [1e308]],
        [{ multipleOf: 1e21 }, [3e21, 0], [1e20]],
      ],
    ],
    [
      'lengths in characters',
      [
        [{ minLength: 2 }, ['ab', '😀😀', 'a😀', 3], ['a', '😀', '']],
        [{ maxLength: 2 }, ['ab', '😀😀', '', []], ['abc', '😀😀😀', 'ab😀']],
        [{ minLength: 2, maxLength: 2 }, ['\ud83d\ud83d', '\ude00\ud83d'], ['\ud83d\ude00', '\ud83d']],
        [{ maxLength: 0 }, [''], ['a']],
        [{ minLength: 2.0 }, ['ab'], ['a']],
      ],
    ],
    [
      'pattern, anywhere in the text and with Unicode',
      [
        [{ pattern: 'b' }, ['b', 'abc', 4], ['a', '']],
        [{ pattern: '^.$' }, ['a', '😀'], ['', 'ab', '\n']],
        [{ pattern: '^\\p{Letter}+$' }, ['äß', 'Ж'], ['a1', '']],
        [{ pattern: '^\\d+$' }, ['12'], ['١', '1a']],
        [{ pattern: '' }, ['', 'x'], []],
      ],
    ],
    [
      'items and prefixItems',
      [
        [{ items: { type: 'string' } }, [[], ['a'], 'x', {}], [['a', 1], [null]]],
        [{ items: false }, [[]], [[1]]],
        [
          { prefixItems: [{ type: 'string' }, { type: 'integer' }] },
          [[], ['a'], ['a', 1, null]],
          [[1], ['a', 'b']],
        ],
        [
          { prefixItems: [{ type: 'string' }], items: { type: 'null' } },
          [['a'], ['a', null]],
          [['a', 'b'], [null]],
        ],
        [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [['a', 1]]],
      ],
    ],
    [
      'contains with its bounds',
      [
        [{ contains: { const: 1 } }, [[1], [2, 1], {}], [[], [2]]],
        [{ contains: false }, ['x'], [[], [1]]],
        [{ contains: true }, [[1]], [[]]],
        [{ contains: { const: 1 }, minContains: 2 }, [[1, 2, 1]], [[1], []]],
        [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[1, 1], []]],
        [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
        [{ contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]],
        [{ minContains: 2, maxContains: 1 }, [[], [1]], []],
      ],
    ],
    [
      'sizes of arrays, and repeated items',
      [
        [{ minItems: 1 }, [[1], 'x'], [[]]],
        [{ maxItems: 1 }, [[1], []], [[1, 2]]],
        [
          { uniqueItems: true },
          [[], [1, 2], [1, true], ['1', 1], [null, false, 0, ''], [[1], [2]], [{ a: 1 }, { a: 2 }]],
          [
            [1, 1.0],
            [[1], [1]],
            [
              { a: 1, b: 2 },
              { b: 2, a: 1 },
            ],
            [0, -0],
          ],
        ],
        [
          { uniqueItems: true },
          [
            [{ a: '1' }, { a: 1 }],
            [['a,b'], ['a', 'b']],
            ['{}', {}],
            ['[1]', [1]],
          ],
          [[{}, 1, {}]],
        ],
        [{ uniqueItems: false }, [[1, 1]], []],
      ],
    ],
    [
      'properties, patterns of names, and the rest',
      [
        [
          { properties: { a: { type: 'string' }, b: false } },
          [{}, { a: 'x' }, { c: 1 }, [], 'x'],
          [{ a: 1 }, { b: 1 }],
        ],
        [
          { patternProperties: { '^x': { type: 'string' }, y$: { minLength: 2 } } },
          [{ xa: '' }, { xy: 'ab' }, { z: 1 }],
          [{ xa: 1 }, { xy: 'a' }, { y: 'a' }],
        ],
        [
          { properties: { a: true }, additionalProperties: false },
          [{}, { a: 1 }, 3],
          [{ b: 1 }, { a: 1, b: 1 }],
        ],
        [
          {
            properties: { a: true },
            patternProperties: { '^x': true },
            additionalProperties: { type: 'null' },
          },
          [{ a: 1, x1: 2, c: null }],
          [{ c: 1 }],
        ],
        [
          { properties: { x: { type: 'string' } }, patternProperties: { x: { minLength: 2 } } },
          [{ x: 'ab' }],
          [{ x: 'a' }, { x: 1 }],
        ],
        [{ additionalProperties: { type: 'string' } }, [{ a: 'x' }], [{ a: 1 }]],
      ],
    ],
    [
      'required, with what is needed besides',
      [
        [{ required: ['a', 'b'] }, [{ a: 1, b: null }, [], 'x'], [{}, { a: 1 }]],
        [{ required: [] }, [{}], []],
        [
          { properties: { a: { type: 'string' } }, required: ['a', 'z'] },
          [{ a: '', z: 1 }],
          [{ a: '' }, { z: 1 }],
        ],
        [{ required: ['z'], additionalProperties: false }, [], [{ z: 1 }, {}]],
        [
          { dependentRequired: { a: ['b', 'c'] } },
          [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, 'a'],
          [{ a: 1 }, { a: 1, b: 1 }],
        ],
        [
          { dependentSchemas: { a: { required: ['b'] }, c: false } },
          [{}, { a: 1, b: 1 }, ['a']],
          [{ a: 1 }, { c: 1 }],
        ],
      ],
    ],
    [
      'names and numbers of properties',
      [
        [{ propertyNames: { maxLength: 2 } }, [{}, { ab: 1 }, 'abc'], [{ abc: 1 }]],
        [{ propertyNames: false }, [{}], [{ a: 1 }]],
        [{ minProperties: 1 }, [{ a: 1 }, []], [{}]],
        [{ maxProperties: 1 }, [{ a: 1 }, {}], [{ a: 1, b: 1 }]],
      ],
    ],
    [
      'allOf, anyOf, oneOf and not',
      [
        [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2, 'a'], [0, 3]],
        [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2, null], [1]],
        [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
        [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: 1 }, { b: 1 }], [{}, { a: 1, b: 1 }]],
        [{ not: { type: 'string' } }, [1, null], ['a']],
        [{ not: { not: { type: 'string' } } }, ['a'], [1]],
        [{ not: true }, [], every],
      ],
    ],
    [
      'if, then and else',
      [
        [when({ type: 'string' }, { minLength: 2 }, { minimum: 2 }), ['ab', 2, null], ['a', 1]],
        [when({ type: 'string' }, { minLength: 2 }), ['ab', 1], ['a']],
        [{ if: { type: 'string' }, else: { minimum: 2 } }, ['a', 2], [1]],
        [when(undefined, false, false), every, []],
        [{ if: false }, every, []],
      ],
    ],
    [
      'annotations and unknown keywords, which say nothing of the value',
      [
        [
          {
            title: 't',
            description: 'd',
            default: 5,
            examples: [1],
            $comment: 'c',
            format: 'email',
            deprecated: true,
            readOnly: true,
            writeOnly: true,
            contentEncoding: 'base64',
            contentMediaType: 'x/y',
            contentSchema: false,
            madeUp: { type: 'string' },
          },
          every,
          [],
        ],
      ],
    ],
  ])('R-IN-2: %s', ([, rows]) => check(rows))
})

describe('property names are data', () => {
  const inherited = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf']

  it.for(inherited)('%s is not there unless it is the value’s own', (name) => {
    const own = JSON.parse(`{${JSON.stringify(name)}: 1}`)
    check([
      [{ required: [name] }, [own], [{}]],
      [
        { properties: JSON.parse(`{${JSON.stringify(name)}: {"type": "integer"}}`) },
        [{}, own],
        [JSON.parse(`{${JSON.stringify(name)}: "x"}`)],
      ],
      [{ additionalProperties: false }, [{}], [own]],
      [{ properties: { a: true }, additionalProperties: false }, [{ a: 1 }], [own]],
      [{ unevaluatedProperties: false }, [{}], [own]],
      [{ dependentRequired: JSON.parse(`{${JSON.stringify(name)}: ["a"]}`) }, [{}], [own]],
      [{ dependentSchemas: JSON.parse(`{${JSON.stringify(name)}: false}`) }, [{}], [own]],
      [{ const: JSON.parse(`{${JSON.stringify(name)}: 1}`) }, [own], [{}, { a: 1 }]],
      [{ propertyNames: { maxLength: 1 } }, [{}], [own]],
      [{ minProperties: 1 }, [own], [{}]],
      [{ patternProperties: { '.': { type: 'string' } } }, [{}], [own]],
    ])
  })

  it('a polluted prototype adds nothing', () => {
    const parent = { b: 1, word: 5 }
    const value: object = Object.create(parent)
    expect(fits({ properties: { word: { type: 'string' } }, additionalProperties: false }, value)).toBe(true)
    expect(fits({ required: ['word'] }, value)).toBe(false)
  })

  it('what JSON leaves out is not there', () => {
    check([
      [
        { properties: { a: { type: 'string' } }, required: ['b'] },
        [{ a: undefined, b: 1 }],
        [{ b: undefined }],
      ],
      [{ additionalProperties: false }, [{ a: undefined }], []],
      [{ maxProperties: 0, propertyNames: false, unevaluatedProperties: false }, [{ a: undefined }], []],
      [{ dependentRequired: { a: ['b'] } }, [{ a: undefined }], [{ a: 1, b: undefined }]],
    ])
  })

  it('a schema is read by its own keywords only', () => {
    const schema: object = Object.create({ type: 'string', required: ['a'] })
    expect(fits(schema, 5)).toBe(true)
    expect(fits(JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}'), 5)).toBe(
      true,
    )
  })
})
