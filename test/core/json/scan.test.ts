import * as fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeProblem, scanJsonText } from '../../../src/core/json/scan.ts'
import type { ScanOptions } from '../../../src/core/json/scan.ts'
import { LINEAR_AT_MOST, measureGrowth } from '../text/growth.ts'
import { roundsOf } from '../../harness/long-run.ts'

const problemsOf = (text: string, options?: ScanOptions): string[] => {
  const scanned = scanJsonText(text, options)
  return scanned.ok ? scanned.problems.map(describeProblem) : [`no JSON: ${scanned.message}`]
}

const nest = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`

const BEYOND =
  '9007199254740993 -9007199254740993 9007199254740993.0 9007199254740992.5 900719925474099.3e1 1e16 1e300 -1E+300 ' +
  '1e400 123456789012345678901234567890 0.0009007199254740993e19 1e99999999999'
const FRAGMENTS =
  '{ } [ ] " , : \\ 0 1 7 . e E + - t true null "a" "\\u00e9" \u0001 \uFEFF 1.5e3 -0 {"a":1} [[]] 😀'

describe('what JSON lets pass', () => {
  it('R-IN-4: a duplicate key is named with its place, also when it is escaped', () => {
    expect(problemsOf('{"path": "a.txt", "path": "b.txt"}')).toEqual([
      'duplicate key "path" at args.path (line 1, column 19)',
    ])
    expect(problemsOf('{\n  "😀": 1, "a": {"b": [1, {"x":1,\n"\\u0078":2}]}}')).toEqual([
      'duplicate key "x" at args.a.b[1].x (line 3, column 1)',
    ])
    expect(problemsOf('{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}')).toEqual([])
    expect(problemsOf('{"toString":1,"constructor":2}')).toEqual([])
  })

  it('R-IN-4: the key __proto__ is refused at any depth, also when it is escaped', () => {
    expect(problemsOf('{"a":[{"__proto__":{"x":1}}]}')).toEqual([
      'forbidden key "__proto__" at args.a[0].__proto__ (line 1, column 8)',
    ])
    expect(problemsOf('{"\\u005f_proto_\\u005F":1}')).toHaveLength(1)
    expect(problemsOf('{"a":"__proto__"}')).toEqual([])
  })

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740992.0',
    '0',
    '-0',
    '9007199254740992e0',
    '0e999',
  ])('R-IN-4: %s is kept exactly and allowed', (number) => {
    expect(problemsOf(`{"n":${number}}`)).toEqual([])
  })

  it.each([
    '900719925474099.2e1',
    '90071992547409920e-1',
    '0.00000001',
    '1e-400',
    '123.456',
    '0.9007199254740993',
  ])('R-IN-4: %s is below the limit and allowed', (number) => {
    expect(problemsOf(`[${number}]`)).toEqual([])
  })

  it.each(BEYOND.split(' '))('R-IN-4: %s is beyond 2^53 and refused', (number) => {
    expect(problemsOf(`{"n":${number}}`)).toEqual([
      `integer ${number} beyond 2^53, which cannot be represented exactly, at args.n (line 1, column 6)`,
    ])
  })

  it('R-IN-4: 64 levels are allowed, the 65th is not, and only it is reported', () => {
    expect(problemsOf(nest(64))).toEqual([])
    const [problem = '', ...others] = problemsOf(`{"a":${nest(64).replace('{}', '{"b":1,"b":1e300}')}}`)
    expect(problem).toMatch(/^nesting deeper than 64 levels at args\.a(\.a){63} \(line 1, column 321\)$/)
    expect(others).toEqual([])
    expect(problemsOf('[[[]]]', { maxDepth: 2 })).toEqual([
      'nesting deeper than 2 levels at args[0][0] (line 1, column 3)',
    ])
  })

  it('R-IN-4: in a batch the depth is counted from the arguments of each call', () => {
    const batch = (levels: number): string => `[{"id":"c1","name":"x","args":{}},{"args":${nest(levels)}}]`
    expect(problemsOf(batch(64), { argsAt: 2 })).toEqual([])
    expect(problemsOf(batch(65), { argsAt: 2 })).toHaveLength(1)
    expect(problemsOf(`{"args":${nest(64)}}`, { argsAt: 1 })).toEqual([])
    expect(problemsOf(`{"args":${nest(65)}}`, { argsAt: 1 })).toHaveLength(1)
    expect(problemsOf('[{"args":{"a":1,"a":2}}]', { argsAt: 2 })).toEqual([
      'duplicate key "a" at [0].args.a (line 1, column 17)',
    ])
    expect(problemsOf('{"id":"a","id":"b"}', { argsAt: 1 })).toEqual([
      'duplicate key "id" at id (line 1, column 11)',
    ])
  })

  it('R-IN-4: a call with a thousand faults does not hide the fault of the next one', () => {
    const faulty = `{"args":{${'"a":1,'.repeat(1000)}"b":1}}`
    const scanned = scanJsonText(`[${faulty},{"args":{"x":1,"x":2}}]`, { argsAt: 2 })
    const calls = scanned.ok ? scanned.problems.map(({ pointer }) => pointer[0]) : []
    expect(calls.filter((call) => call === 0)).toHaveLength(20)
    expect(calls.filter((call) => call === 1)).toHaveLength(1)
  })

  it('R-IN-4: what is wrong is told in text that is short and safe to print', () => {
    const [key = ''] = problemsOf(`{"${'k'.repeat(100_000)}\\u001b":1,"${'k'.repeat(100_000)}\\u001b":2}`)
    expect(key.length).toBeLessThan(300)
    expect(problemsOf('{"\\u202e":1,"\\u202e":2}')).toEqual([
      String.raw`duplicate key "\u202e" at args["\u202e"] (line 1, column 13)`,
    ])
    expect(problemsOf(`[${'9'.repeat(100_000)}]`)[0]?.length).toBeLessThan(200)
  })
})

describe('what is no JSON', () => {
  it.each([
    ['', 'the text is empty; a JSON value was expected', 1, 1],
    [' \n ', 'the text is empty; a JSON value was expected', 2, 2],
    ['{"a":', 'found the end of the text where a value was expected', 1, 6],
    ['{"a":1', 'found the end of the text where "," or "}" was expected', 1, 7],
    ['{"a', 'the text ends inside a string; its closing quote is missing', 1, 4],
    ['[1,\n 2,]', 'found "]" where a value was expected', 2, 4],
    ['{"a":1,}', 'found "}" where a key in double quotes was expected', 1, 8],
    ['{a:1}', 'found "a" where a key in double quotes or "}" was expected', 1, 2],
    ['{"a" 1}', 'found "1" where ":" after a key was expected', 1, 6],
    ['["😀"] x', 'found "x" after the end of the JSON value', 1, 7],
    ['[01]', 'found "1" where "," or "]" was expected', 1, 3],
    ['[.5]', 'found "." where a value or "]" was expected', 1, 2],
    ['["a\tb"]', 'unescaped U+0009 inside a string; write it as an escape', 1, 4],
    ['["\\x"]', 'a backslash that does not begin a valid JSON escape', 1, 3],
    ['\uFEFF{}', 'found a byte order mark where a value was expected', 1, 1],
    ['[\u00A0]', 'found U+00A0 where a value or "]" was expected', 1, 2],
    ['undefined', 'found "u" where a value was expected', 1, 1],
  ])('R-IN-3: %j: %s', (text, message, line, column) => {
    expect(scanJsonText(text)).toEqual({ ok: false, message, line, column })
  })

  it('R-IN-4: a text is taken exactly when the native parser takes it', () => {
    const fragment = fc.constantFrom(' ', '\n', ...FRAGMENTS.split(' '))
    const valid = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value))
    const edited = fc
      .tuple(valid, fc.nat(), fc.nat(2), fc.oneof(fragment, fc.constant('')))
      .map(([text, at, cut, added]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + added + text.slice(place + cut)
      })
    const random = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(edited, random), (text) => {
        const scanned = scanJsonText(text)
        let parsed: unknown
        try {
          parsed = { ok: true, value: JSON.parse(text) }
        } catch {
          parsed = { ok: false }
        }
        return isDeepStrictEqual(scanned.ok ? { ok: true, value: scanned.value } : { ok: false }, parsed)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})

type Tree = { scalar: string } | { items: Tree[] } | { members: [string, Tree][] }

const escapeKey = (text: string, isEscaped: boolean): string =>
  isEscaped
    ? `"\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}"`
    : JSON.stringify(text)

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', '__proto__', 'é')
  const scalar = fc.constantFrom('1', '"x"', 'null', '9007199254740993', '1e400', '-9007199254740992', '0.5')
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.record({ scalar }),
      fc.record({ items: fc.array(tie('tree'), { maxLength: 3 }) }),
      fc.record({ members: fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }) }),
    ),
  }))

  const write = (node: Tree, blank: string, isEscaped: boolean): string => {
    if ('scalar' in node) return node.scalar
    if ('items' in node)
      return `[${node.items.map((item) => blank + write(item, blank, !isEscaped)).join(',')}${blank}]`
    const members = node.members.map(
      ([name, member], index) =>
        `${blank}${escapeKey(name, isEscaped !== (index % 2 === 0))}${blank}:${write(member, blank, !isEscaped)}`,
    )
    return `{${members.join(',')}}`
  }

  const expectProblems = (
    node: Tree,
    pointer: (string | number)[],
    maxDepth: number,
  ): [string, (string | number)[]][] => {
    if ('scalar' in node)
      return ['9007199254740993', '1e400'].includes(node.scalar) ? [['unsafe_integer', pointer]] : []
    if (pointer.length >= maxDepth) return [['too_deep', pointer]]
    if ('items' in node)
      return node.items.flatMap((item, index) => expectProblems(item, [...pointer, index], maxDepth))
    const seen: string[] = []
    return node.members.flatMap(([name, member]) => {
      const here = [...pointer, name]
      const kind = seen.includes(name) ? 'duplicate_key' : name === '__proto__' ? 'forbidden_key' : undefined
      seen.push(name)
      return [
        ...(kind === undefined ? [] : [[kind, here] as [string, (string | number)[]]]),
        ...expectProblems(member, here, maxDepth),
      ]
    })
  }

  it('R-IN-4: finds what a plain recursive reading finds, in the same order', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom('', ' ', '\n\t'), fc.boolean(), (node, blank, isEscaped) => {
        const scanned = scanJsonText(write(node, blank, isEscaped), { maxDepth: 3 })
        const found = scanned.ok ? scanned.problems.map(({ kind, pointer }) => [kind, pointer]) : ['no JSON']
        return isDeepStrictEqual(found, expectProblems(node, [], 3).slice(0, 20))
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})

describe('hostile text', () => {
  it.each([
    [1_000_000, 'arrays', '[', ']'],
    [200_000, 'objects', '{"a":', '}'],
  ])('R-IN-4: %i nested %s neither overflow nor pass', (levels, _, open, close) => {
    const scanned = scanJsonText(`${open.repeat(levels)}1${close.repeat(levels)}`)
    expect(scanned.ok && scanned.problems.map(({ kind }) => kind)).toEqual(['too_deep'])
    expect(scanJsonText(open.repeat(10_000)).ok).toBe(false)
  })

  it.each([
    ['duplicate keys', (text: string) => `{${text}"a":1}`, '"a":1,'],
    ['duplicate fields of a call', (text: string) => `[{${text}"a":1}]`, '"a":1,'],
    ['different objects', (text: string) => `[${text}1]`, '{"a":{"a":1,"a":2}},'],
    ['a long string', (text: string) => `["${text}"]`, '\\u0041x'],
    ['digits', (text: string) => `[1${text}]`, '0'],
    ['blanks', (text: string) => `[${text}]`, ' \n'],
    ['unclosed strings', (text: string) => text, '"\\'],
  ])('R-IN-4: time grows no faster than %s', (_, wrap, unit) => {
    expect(measureGrowth((text) => scanJsonText(wrap(text), { argsAt: 2 }), unit)).toBeLessThan(
      LINEAR_AT_MOST,
    )
  })
})
