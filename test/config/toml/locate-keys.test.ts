import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locateKeys } from '../../../src/config/toml/locate-keys.ts'
import { roundsOf } from '../../harness/long-run.ts'

function positions(text: string): Record<string, string> {
  return Object.fromEntries(
    [...locateKeys(text)].map(([name, { line, column }]) => [name, `${line}:${column}`]),
  )
}

describe('the place of a key', () => {
  it('is found in tables, dotted keys, inline tables, lists and table arrays', () => {
    const text = `a.b = 1 # c = 2
[x . "y.z"]
k = """
fake = 1
\\""" still
""" # "
'q' = { r = [1, { s = 2 }], "t" = 'u = 1' }
[[list]]
n = [
  "a", # "b",
  "b",
]
[[list]]
[list.inner]
m = 1979-05-27 07:32:00
`
    expect(positions(text)).toEqual({
      a: '1:1',
      'a.b': '1:1',
      x: '2:1',
      'x.y.z': '2:1',
      'x.y.z.k': '3:1',
      'x.y.z.q': '7:1',
      'x.y.z.q.r': '7:9',
      'x.y.z.q.r.0': '7:14',
      'x.y.z.q.r.1': '7:17',
      'x.y.z.q.r.1.s': '7:19',
      'x.y.z.q.t': '7:29',
      list: '8:1',
      'list.0': '8:1',
      'list.0.n': '9:1',
      'list.0.n.0': '10:3',
      'list.0.n.1': '11:3',
      'list.1': '13:1',
      'list.1.inner': '14:1',
      'list.1.inner.m': '15:1',
    })
  })

  it('counts lines that end in CRLF and skips a byte order mark', () => {
    expect(positions('\uFEFF# x\r\n\r\na = 1\r\nb = 2')).toEqual({ a: '3:1', b: '4:1' })
  })

  it('is looked for without hanging or throwing, whatever the text', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '"""',
      "'''",
      '=',
      '.',
      ',',
      '#',
      '\n',
      ' ',
      'a',
      '1',
      '\\',
    )
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (any) => locateKeys(any) instanceof Map),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('is found after a text of half a million characters', () => {
    const long = 'x'.repeat(500_000)
    expect(positions(`a = "${long}"\nb = """${long}"""\nc = '''${long}'''\n# ${long}\nd = 1`)['d']).toBe(
      '5:1',
    )
  })

  it('of many items below a very long name is that of what is above them', () => {
    const name = 'A'.repeat(100_000)
    const found = positions(`[a]\n${name} = [${'1,'.repeat(100_000)}]\nb = 1`)
    expect(Object.keys(found)).toEqual(['a', 'a.b'])
  })
})
