import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlob } from '../../../src/core/glob/glob.ts'
import { MAX_WILD_CHARACTERS } from '../../../src/tools/finding/ignore-notes.ts'
import { parseIgnoreLine, parseIgnoreRules } from '../../../src/tools/finding/ignore-pattern.ts'
import { roundsOf } from '../../harness/long-run.ts'

/** Whether rules ignore a path; `x/` is a folder. */
function ignores(rules: string, path: string): boolean | null {
  const isFolder = path.endsWith('/')
  const plain = isFolder ? path.slice(0, -1) : path
  return parseIgnoreRules(rules)?.judge(plain, isFolder, { steps: 0 }) ?? null
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

  it.for([' ', '\\', '\\ '])('are read soon if they are long runs of %j', (piece) => {
    const long = `a${piece.repeat(500_000)}b${piece} `
    expect(parseIgnoreRules(`${long}\nx\n`)?.judge('x', false, { steps: 0 })).toBe(true)
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

  it('F-SAFE-IGNORE: many rules at once decide as each of them alone', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', '[ab]', '[!a]', '*.b', 'longer-name')
    const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
    const part = fc.oneof(name, name, fc.constant('**'))
    const rule = fc
      .tuple(
        fc.constantFrom('', '!'),
        fc.constantFrom('', '/'),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '/'),
      )
      .map(([not, top, parts, end]) => `${not}${top}${parts.join('/')}${end}`)
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'aab', 'x.b', 'longer-name', '\u{1F600}'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((names) => names.join('/'))
    const several = fc.array(rule, { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(several, fc.array(path, { minLength: 1, maxLength: 8 }), (lines, paths) => {
        const judge = parseIgnoreRules(lines.join('\n'))?.judge
        for (const [at, one] of paths.entries()) {
          const isFolder = at % 2 === 0
          expect(judge?.(one, isFolder, { steps: 0 }) ?? null).toBe(judgeSlowly(lines, one, isFolder))
        }
      }),
      { numRuns: roundsOf(200, 5_000) },
    )
  })

  it('F-SAFE-IGNORE: a rule decides alike wherever it stands among the characters of all', () => {
    for (let at = 1; at < 70; at++) {
      const rules = `${'x'.repeat(at)}*\na/**/b?`
      expect(['a/bc', 'a/d/bc', 'a/d/e/bc'].map((path) => ignores(rules, path))).toEqual([true, true, true])
      expect(['a/b', 'ab/bc', 'a/dbc'].map((path) => ignores(rules, path))).toEqual([null, null, null])
    }
  })

  it('F-SAFE-IGNORE: a name costs little, however many patterns are held against it', () => {
    const lines = Array.from({ length: 8_000 }, (_, at) => `*${'a*[ab]?'.repeat(3)}${at}*[cd]x`)
    const rules = parseIgnoreRules(lines.join('\n'), MAX_WILD_CHARACTERS)
    expect(rules?.isWhole).toBe(false)
    const effort = { steps: 0 }
    for (let at = 0; at < 100; at++) rules?.judge(`${'ab'.repeat(120)}${at}`, false, effort)
    expect(effort.steps).toBeGreaterThan(0)
    expect(effort.steps).toBeLessThan(100 * 250 * 2_048)
  })

  it('F-SAFE-IGNORE: names and paths without wildcards cost nothing, however many there are', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `name-${at}\n/folder-${at}/index.js\n**/other-${at}`,
    )
    const rules = parseIgnoreRules(lines.join('\n'), MAX_WILD_CHARACTERS)
    const effort = { steps: 0 }
    expect(rules?.isWhole).toBe(true)
    expect(rules?.judge('x/name-7', false, effort)).toBe(true)
    expect(rules?.judge('folder-19999/index.js', false, effort)).toBe(true)
    expect(rules?.judge('folder-x/index.js', false, effort)).toBe(null)
    expect(rules?.judge('x/other-3', false, effort)).toBe(true)
    expect(effort.steps).toBe(0)
  })
})

/** The same by the definition: each rule by itself, the last one first. */
function judgeSlowly(lines: readonly string[], path: string, isFolder: boolean): boolean | null {
  const rules = lines.flatMap((line) => parseIgnoreLine(line) ?? [])
  const last = rules.findLast(
    ({ components, isForFolders }) =>
      (isFolder || !isForFolders) && compileGlob({ pattern: '', alternatives: [components] })(path),
  )
  return last === undefined ? null : !last.isNegated
}
