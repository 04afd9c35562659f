import * as fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { describeProblem, scanJsonValue } from '../../../src/core/json/scan.ts'
import { roundsOf } from '../../harness/long-run.ts'

const problemsOf = (value: unknown): string[] => scanJsonValue(value).map(describeProblem)

const nest = (levels: number): unknown => {
  let value: unknown = {}
  for (let level = 1; level < levels; level += 1) value = { a: value }
  return value
}

class Point {
  x = 1
}

describe('values that a program hands over', () => {
  it('R-IN-4: plain JSON passes, also without a prototype, from another realm, and with shared parts', () => {
    const shared = { a: [1, 'x', null, true, 2 ** 53, -0, 0.1] }
    expect(problemsOf({ one: shared, two: shared, three: [shared, shared] })).toEqual([])
    expect(problemsOf(Object.assign(Object.create(null), { a: 1 }))).toEqual([])
    expect(problemsOf(runInNewContext('({ a: [{ b: 1 }] })'))).toEqual([])
    expect(problemsOf('text')).toEqual([])
  })

  it.each([
    ['undefined', undefined, 'undefined, which is not JSON, at args.x'],
    ['a function', () => 1, 'a function, which is not JSON, at args.x'],
    ['a symbol', Symbol('s'), 'a symbol, which is not JSON, at args.x'],
    ['a bigint', 1n, 'a bigint, which is not JSON, at args.x'],
    ['NaN', Number.NaN, 'NaN, which is not JSON, at args.x'],
    ['infinity', Number.NEGATIVE_INFINITY, '-Infinity, which is not JSON, at args.x'],
    ['a date', new Date(0), 'an instance of a class, which is not JSON, at args.x'],
    ['a map', new Map(), 'an instance of a class, which is not JSON, at args.x'],
    ['a class instance', new Point(), 'an instance of a class, which is not JSON, at args.x'],
    ['bytes', new Uint8Array(2), 'an instance of a class, which is not JSON, at args.x'],
    [
      'an array of a subclass',
      new (class extends Array {})(),
      'an instance of a class, which is not JSON, at args.x',
    ],
    ['a sparse array', Object.assign([], { 5: 1 }), 'an array with holes, which is not JSON, at args.x'],
    [
      'an array with a name',
      Object.assign([1], { a: 1 }),
      'a named property of an array, which is not JSON, at args.x.a',
    ],
    ['a symbol key', { [Symbol('s')]: 1 }, 'a property named by a symbol, which is not JSON, at args.x'],
    [
      'a hidden property',
      Object.defineProperty({}, 'h', { value: 1 }),
      'a property that is not enumerable, which is not JSON, at args.x.h',
    ],
    ['toJSON', { toJSON: () => ({}) }, 'a function, which is not JSON, at args.x.toJSON'],
    ['an own __proto__', JSON.parse('{"__proto__":1}'), 'forbidden key "__proto__" at args.x.__proto__'],
    [
      'an integer beyond 2^53',
      2 ** 53 + 2,
      'integer 9007199254740994 beyond 2^53, which cannot be represented exactly, at args.x',
    ],
    ['a huge number', -1e300, 'integer -1e+300 beyond 2^53, which cannot be represented exactly, at args.x'],
  ])('R-IN-4: %s is judged', (_, value, problem) => {
    expect(problemsOf({ x: value })).toEqual([problem])
  })

  it('R-IN-4: no getter, setter or toJSON is ever run', () => {
    const ran: string[] = []
    const trap = {
      get secret() {
        ran.push('get')
        return 1
      },
      toJSON: () => ran.push('toJSON'),
    }
    expect(problemsOf({ trap })).toEqual([
      'a getter or setter, which is not JSON, at args.trap.secret',
      'a function, which is not JSON, at args.trap.toJSON',
    ])
    expect(ran).toEqual([])
  })

  it('R-IN-4: a proxy that throws, and one that was revoked, are findings', () => {
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const refused = 'an object that cannot be inspected, which is not JSON, at args'
    expect(problemsOf({ a: throwing, b: proxy })).toEqual([`${refused}.a`, `${refused}.b`])
  })

  it('R-IN-4: a cycle is named where it closes', () => {
    const list: unknown[] = []
    list.push({ list })
    expect(problemsOf({ list })).toEqual([
      'an object that contains itself, which is not JSON, at args.list[0].list',
    ])
  })

  it('R-IN-4: 64 levels are allowed, the 65th is not, also by way of a shared part', () => {
    expect(problemsOf(nest(64))).toEqual([])
    expect(problemsOf(nest(65))).toHaveLength(1)
    const shared = nest(63)
    expect(problemsOf({ a: shared, b: shared })).toEqual([])
    expect(problemsOf({ a: shared, b: { c: shared } })).toEqual(['nesting deeper than 64 levels at args.b.c'])
    expect(problemsOf(nest(200_000))).toHaveLength(1)
  })

  it('R-IN-4: a few objects that stand for endless text are refused at once', () => {
    let bomb: unknown = ['x']
    for (let level = 0; level < 60; level += 1) bomb = [bomb, bomb]
    expect(problemsOf(bomb)).toEqual(['more than 1000000 values at args'])
  })

  it('R-IN-4: whatever the parser made from text with small numbers passes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const isSmall = !/[eE]\+|\d{16}/.test(JSON.stringify(value))
        fc.pre(isSmall && !JSON.stringify(value).includes('__proto__'))
        expect(problemsOf(JSON.parse(JSON.stringify(value)))).toEqual([])
      }),
      { numRuns: roundsOf(300, 3000) },
    )
  })
})
