import { describe, expect, it } from 'vitest'
import { parseIgnoreLine, parseIgnoreRules } from '../../../src/tools/finding/ignore-pattern.ts'

/** Whether rules ignore a path; `x/` is a folder. */
function ignores(rules: string, path: string): boolean | null {
  const isFolder = path.endsWith('/')
  const plain = isFolder ? path.slice(0, -1) : path
  return parseIgnoreRules(rules)?.judge(plain.split('/').at(-1) ?? '', plain, isFolder) ?? null
}

describe('lines of an ignore file', () => {
  it.for([
    ['a', ['a', 'b/a', 'a/'], ['ab', 'a/b']],
    ['/a', ['a'], ['b/a']],
    ['a/', ['a/', 'b/a/'], ['a']],
    ['a/b', ['a/b'], ['x/a/b', 'b']],
    ['*.log', ['x.log', '.log', 'd/x.log'], ['log', 'x.logs']],
    ['a*c', ['ac', 'abc'], ['a/c']],
    ['?', ['a', '😀'], ['ab']],
    ['[a-c]x', ['ax', 'cx'], ['dx']],
    ['[!a]', ['b'], ['a']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[[:digit:]_]', ['7', '_'], ['a']],
    ['**/a', ['a', 'b/a', 'b/c/a'], []],
    ['a/**', ['a/b', 'a/b/c'], ['a/', 'a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb']],
    ['**', ['a', 'a/b'], []],
    ['\\#a', ['#a'], ['a']],
    ['\\!a', ['!a'], ['a']],
    ['\\*', ['*'], ['a']],
    ['a  ', ['a'], ['a  ']],
    ['a\\ ', ['a '], ['a']],
    ['a\r', ['a'], []],
    ['\uFEFFa', ['a'], []],
  ] as const)('F-SAFE-IGNORE: %j', ([rule, yes, no]) => {
    expect(yes.filter((path) => ignores(rule, path) !== true)).toEqual([])
    expect(no.filter((path) => ignores(rule, path) === true)).toEqual([])
  })

  it.for(['', '   ', '# comment', '!', '/', '//', '\\', '[a', 'a[[:nope:]]', 'a//b', '!/'])(
    'F-SAFE-IGNORE: %j is no rule',
    (line) => {
      expect(parseIgnoreLine(line)).toBe(null)
    },
  )

  it('F-SAFE-IGNORE: the last rule that matches decides', () => {
    expect(ignores('*.a\n!keep.a', 'keep.a')).toBe(false)
    expect(ignores('!keep.a\n*.a', 'keep.a')).toBe(true)
    expect(ignores('x\n!x/', 'x')).toBe(true)
    expect(ignores('x\n!x/', 'x/')).toBe(false)
    expect(ignores('a', 'b')).toBe(null)
  })

  it('F-SAFE-IGNORE: a hostile pattern is answered, however many ways there are to match it', () => {
    expect(ignores(`${'a*'.repeat(200)}b`, 'a'.repeat(250))).toBe(null)
    expect(ignores(`${'a*[a]'.repeat(60)}b`, 'a'.repeat(250))).toBe(null)
    expect(ignores(`${'**/a/'.repeat(40)}b`, `${'a/'.repeat(80)}c`)).toBe(null)
  })
})
