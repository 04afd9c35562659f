import { describe, expect, it } from 'vitest'
import { faultOf, fits, when, wordsOf } from './fits.ts'

type Row = readonly [name: string, schema: unknown, good: readonly unknown[], bad: readonly unknown[]]

const word = { type: 'string' }

describe('references inside the document', () => {
  it.for<Row>([
    [
      'the root',
      { properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{ next: { next: {} } }],
      [{ next: { nxet: {} } }],
    ],
    [
      'a definition',
      { properties: { a: { $ref: '#/$defs/word' } }, $defs: { word } },
      [{ a: 'x' }],
      [{ a: 1 }],
    ],
    ['a chain of them', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: word } }, ['x'], [1]],
    ['keywords beside it', { $ref: '#/$defs/word', maxLength: 2, $defs: { word } }, ['ab'], ['abc', 1]],
    [
      'any schema by its place',
      { properties: { a: word, b: { $ref: '#/properties/a' } } },
      [{ b: '' }],
      [{ b: 1 }],
    ],
    ['an item of a list', { prefixItems: [word, { $ref: '#/prefixItems/0' }] }, [['a', 'b']], [['a', 1]]],
    [
      'names with ~ and / and % and quotes',
      { properties: { a: { $ref: '#/$defs/x~1y~0z%25%22' } }, $defs: { 'x/y~z%"': word } },
      [{ a: '' }],
      [{ a: 1 }],
    ],
    ['empty names', { $ref: '#/$defs//$defs/', $defs: { '': { $defs: { '': word } } } }, ['x'], [1]],
    ['a place that no keyword knows', { $ref: '#/parts/word', parts: { word } }, ['x'], [1]],
    ['old definitions', { $ref: '#/definitions/word', definitions: { word } }, ['x'], [1]],
    [
      'booleans',
      {
        properties: { a: { $ref: '#/$defs/no' }, b: { $ref: '#/$defs/yes' } },
        $defs: { no: false, yes: true },
      },
      [{ b: 1 }],
      [{ a: 1 }],
    ],
    ['a property that is called $ref', { properties: { $ref: word } }, [{ $ref: 'x' }], [{ $ref: 1 }]],
    [
      'a reference in an enum, which is data',
      { enum: [{ $ref: '#/$defs/x' }] },
      [{ $ref: '#/$defs/x' }],
      ['x'],
    ],
    ['an anchor', { $ref: '#here', $defs: { x: { $anchor: 'here', ...word } } }, ['x'], [1]],
    [
      'an anchor in a part with an address of its own',
      { $ref: 'part#here', $defs: { x: { $id: 'part', $defs: { y: { $anchor: 'here', ...word } } } } },
      ['x'],
      [1],
    ],
    ['an address', { $ref: 'part', $defs: { x: { $id: 'part', ...word } } }, ['x'], [1]],
    [
      'an address with an empty fragment',
      { $ref: 'part#', $defs: { x: { $id: 'part#', ...word } } },
      ['x'],
      [1],
    ],
    [
      'an address relative to the one around it',
      {
        $id: 'http://h.test/a/b.json',
        $ref: '/c/d.json',
        $defs: { x: { $id: '../c/d.json', ...word }, y: { $id: 'c/d.json', type: 'null' } },
      },
      ['x'],
      [1, null],
    ],
    [
      'a pointer relative to the address around it',
      {
        $ref: 'part',
        $defs: { word: { type: 'null' }, x: { $id: 'part', $ref: '#/$defs/word', $defs: { word } } },
      },
      ['x'],
      [null],
    ],
    [
      'a pointer through a part with an address',
      {
        $ref: '#/$defs/x/$defs/y',
        $defs: { word: { type: 'null' }, x: { $id: 'part', $defs: { word, y: { $ref: '#/$defs/word' } } } },
      },
      ['x'],
      [null],
    ],
    [
      'a name',
      {
        $id: 'urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed',
        properties: { a: { $ref: 'urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed#/$defs/word' } },
        $defs: { word },
      },
      [{ a: 'x' }],
      [{ a: 1 }],
    ],
    [
      'a schema that only stands under then',
      { $ref: 'http://h.test/then', ...when(undefined, { $id: 'http://h.test/then', ...word }) },
      ['x'],
      [1],
    ],
  ])('leads to %s', ([, schema, good, bad]) => {
    for (const value of good) expect([value, fits(schema, value)]).toEqual([value, true])
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false])
  })

  it('a tree of any shape is checked to the bottom', () => {
    const tree = {
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['value'],
      additionalProperties: false,
    }
    expect(fits(tree, deepTree(60, { value: 1 }))).toBe(true)
    expect(wordsOf(tree, { value: 1, children: [{ value: 1, children: [{ value: 'x' }] }] })).toEqual([
      'args.children[0].children[0].value must be number, not string',
    ])
  })
})

describe('references that lead nowhere', () => {
  it.for([
    [
      'another document',
      { $ref: 'http://elsewhere.test/x.json' },
      '/$ref',
      '"http://elsewhere.test/x.json" points outside the document',
    ],
    [
      'the description of the dialect',
      { items: { $ref: 'https://json-schema.org/draft/2020-12/schema' } },
      '/items/$ref',
      'points outside the document',
    ],
    ['a definition that is not there', { $ref: '#/$defs/x', $defs: {} }, '/$ref', '/$defs has no "x"'],
    ['what every object inherits', { $ref: '#/$defs/toString', $defs: {} }, '/$ref', 'has no "toString"'],
    ['the length of a list', { $ref: '#/allOf/length', allOf: [true] }, '/$ref', 'has no "length"'],
    ['an index with a zero before it', { $ref: '#/allOf/00', allOf: [true] }, '/$ref', 'has no "00"'],
    ['something that is no schema', { $ref: '#/title', title: 'x' }, '/$ref', 'not a schema'],
    [
      'an anchor that does not exist',
      { properties: { a: { $ref: '#x' } } },
      '/properties/a/$ref',
      'names an anchor',
    ],
    ['a broken escape', { $ref: '#/%E0%A4%A' }, '/$ref', 'not a valid address'],
    [
      'an anchor in an enum, which is data',
      { $ref: '#x', enum: [{ $anchor: 'x' }] },
      '/$ref',
      'names an anchor',
    ],
    ['no text', { $ref: 5 }, '/$ref', 'must be a string'],
    ['a dynamic one', { $dynamicRef: '#x' }, '/$dynamicRef', 'names an anchor'],
  ] as const)('R-SCH-1: %s is refused when the schema is compiled, by name', ([, schema, at, message]) => {
    expect(faultOf(schema)).toEqual({ at, message: expect.stringContaining(message) })
  })

  it.for([
    ['itself', { $ref: '#' }, '/$ref'],
    [
      'one another',
      {
        $ref: '#/$defs/a',
        $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      '/$defs/b/not/$ref',
    ],
    ['itself as one form of several', { anyOf: [{ type: 'string' }, { $ref: '#' }] }, '/anyOf/1/$ref'],
    [
      'itself where a property is present',
      { dependentSchemas: { a: { $ref: '#' } } },
      '/dependentSchemas/a/$ref',
    ],
  ] as const)('schemas that only refer to %s are refused, since they never end', ([, schema, at]) => {
    expect(faultOf(schema)).toEqual({ at, message: expect.stringContaining('would never end') })
  })
})

describe('dynamic references', () => {
  const list = {
    $id: 'list',
    type: 'array',
    items: { $dynamicRef: '#item' },
    $defs: { any: { $dynamicAnchor: 'item' } },
  }

  it('are like others while only one document is involved', () => {
    expect(fits({ $dynamicRef: '#x', $defs: { a: { $dynamicAnchor: 'x', ...word } } }, 1)).toBe(false)
    expect(fits({ $dynamicRef: '#x', $defs: { a: { $anchor: 'x', ...word } } }, 1)).toBe(false)
    expect(fits({ $ref: '#x', $defs: { a: { $dynamicAnchor: 'x', ...word } } }, 'a')).toBe(true)
  })

  it('lead to the outermost anchor of that name on the way', () => {
    const words = {
      $id: 'http://h.test/words',
      $ref: 'list',
      $defs: { item: { $dynamicAnchor: 'item', ...word }, list },
    }
    expect([fits(words, ['a']), fits(words, [1])]).toEqual([true, false])
    const between = {
      ...words,
      $ref: 'between',
      $defs: { ...words.$defs, between: { $id: 'between', $ref: 'list' } },
    }
    expect([fits(between, ['a']), fits(between, [1])]).toEqual([true, false])
  })

  it('ignore plain anchors of that name, and need one at their first stop', () => {
    const plain = {
      $id: 'http://h.test/p',
      $ref: 'list',
      $defs: { item: { $anchor: 'item', ...word }, list },
    }
    expect(fits(plain, [1])).toBe(true)
    const open = { ...list, $defs: { any: { $anchor: 'item' } } }
    expect(
      fits(
        { $id: 'http://h.test/o', $ref: 'list', $defs: { item: { $dynamicAnchor: 'item', ...word }, open } },
        [1],
      ),
    ).toBe(true)
    const pointed = { ...list, items: { $dynamicRef: '#/$defs/any' } }
    expect(
      fits(
        {
          $id: 'http://h.test/q',
          $ref: 'list',
          $defs: { item: { $dynamicAnchor: 'item', ...word }, pointed },
        },
        [1],
      ),
    ).toBe(true)
  })

  it('depend on the way that was taken, and not on ways left again', () => {
    const kinds = {
      $id: 'http://h.test/kinds',
      ...when(
        { properties: { kind: { const: 'n' } }, required: ['kind'] },
        { $ref: 'numbers' },
        { $ref: 'words' },
      ),
      $defs: {
        lists: {
          $id: 'lists',
          properties: { list: { items: { $dynamicRef: '#item' } } },
          $defs: { any: { $dynamicAnchor: 'item' } },
        },
        numbers: { $id: 'numbers', $ref: 'lists', $defs: { n: { $dynamicAnchor: 'item', type: 'number' } } },
        words: { $id: 'words', $ref: 'lists', $defs: { w: { $dynamicAnchor: 'item', ...word } } },
      },
    }
    const verdicts = [
      { kind: 'n', list: [1] },
      { kind: 'n', list: ['a'] },
      { kind: 'w', list: [1] },
      { list: ['a'] },
    ].map((value) => fits(kinds, value))
    expect(verdicts).toEqual([true, false, false, true])
    const left = {
      $id: 'http://h.test/left',
      ...when(
        { $id: 'first', $defs: { x: { $dynamicAnchor: 'thing', type: 'number' } } },
        { $id: 'second', $ref: 'start', $defs: { x: { $dynamicAnchor: 'thing', type: 'null' } } },
      ),
      $defs: {
        start: { $id: 'start', $dynamicRef: 'inner#thing' },
        x: { $id: 'inner', $dynamicAnchor: 'thing', ...word },
      },
    }
    expect(['a', 42, null].map((value) => fits(left, value))).toEqual([false, false, true])
  })

  it('make a tree strict from outside', () => {
    const tree = {
      $id: 'tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    }
    const strict = {
      $id: 'http://h.test/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    }
    expect([fits(strict, { children: [{ data: 1 }] }), fits(strict, { children: [{ daat: 1 }] })]).toEqual([
      true,
      false,
    ])
  })

  it('that never end are stopped while checking', () => {
    const endless = {
      $id: 'a',
      $dynamicAnchor: 'x',
      allOf: [{ $ref: 'b' }],
      $defs: { b: { $id: 'b', $dynamicRef: '#x', $defs: { d: { $dynamicAnchor: 'x' } } } },
    }
    expect(wordsOf(endless, 1)).toEqual(['args goes too deep into the references of its schema'])
  })
})

function deepTree(depth: number, bottom: unknown): unknown {
  return Array.from({ length: depth }).reduce((inner) => ({ value: 1, children: [inner] }), bottom)
}
