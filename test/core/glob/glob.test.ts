import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlob, compileGlobs, parseGlob } from '../../../src/core/glob/glob.ts'
import type { GlobOptions } from '../../../src/core/glob/glob.ts'
import { roundsOf } from '../../harness/long-run.ts'

const matches = (pattern: string, path: string, options?: GlobOptions): boolean => {
  const parsed = parseGlob(pattern)
  if (!parsed.ok) throw new Error(parsed.message)
  return compileGlob(parsed.glob, options)(path)
}

const problemOf = (pattern: string): string => {
  const parsed = parseGlob(pattern)
  return parsed.ok ? 'no problem' : parsed.message
}

describe('patterns', () => {
  it.each([
    ['**/.ssh/**', ['.ssh', '.ssh/id', 'a/.ssh', 'a/b/.ssh/c/d'], ['ssh', '.sshx', 'a/x.ssh/b']],
    ['**/*.pem', ['k.pem', 'a/k.pem', '.pem', 'a/b/.k.pem'], ['k.pem/x', 'kpem']],
    ['*.pem', ['k.pem', '.pem'], ['a/k.pem']],
    ['src/**', ['src', 'src/a', 'src/a/.b'], ['srcs', 'a/src']],
    ['src/', ['src', 'src/a/b'], ['src2']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b', 'a/b/b'], ['a', 'ab', 'b/a/b', 'a/b/c']],
    ['**', ['', 'a', 'a/b'], []],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['./a//b', ['a/b', './a/b', 'a//b'], ['b']],
    ['?.ts', ['a.ts', '😀.ts', '.ts'.padStart(4, '.')], ['.ts', 'ab.ts', '/.ts']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x', 'Ax']],
    ['[!a-c]x', ['dx', '-x'], ['ax', '/x']],
    ['[^a]', ['b'], ['a']],
    ['[]-]', [']', '-'], ['a']],
    ['[a\\]b]', ['a', ']', 'b'], ['\\']],
    ['{a,b}.ts', ['a.ts', 'b.ts'], ['c.ts', '{a,b}.ts']],
    ['{src/{a,b},test}/*.ts', ['src/a/x.ts', 'src/b/x.ts', 'test/x.ts'], ['src/x.ts', 'src/c/x.ts']],
    ['x{,.bak}', ['x', 'x.bak'], ['x.']],
    ['{a}', ['a'], ['{a}']],
    ['[{,}]', ['{', ',', '}'], ['a']],
    ['\\*\\{\\[', ['*{['], ['a{[']],
    ['id_rsa*', ['id_rsa', 'id_rsa.pub'], ['my_id_rsa']],
  ])('%s', (pattern, yes, no) => {
    expect(yes.filter((path) => !matches(pattern, path))).toEqual([])
    expect(no.filter((path) => matches(pattern, path))).toEqual([])
  })

  it('with dot off a leading dot must be written', () => {
    const hidden = { dot: false }
    expect(matches('*', '.x', hidden)).toBe(false)
    expect(matches('?x', '.x', hidden)).toBe(false)
    expect(matches('[.]x', '.x', hidden)).toBe(false)
    expect(matches('**/x', '.a/x', hidden)).toBe(false)
    expect(matches('**', 'a/.b', hidden)).toBe(false)
    expect(matches('.*', '.x', hidden)).toBe(true)
    expect(matches('**/.x/*', 'a/.x/y', hidden)).toBe(true)
    expect(matches('*/x.y', 'a/x.y', hidden)).toBe(true)
  })

  it.each([
    ['**/*.pem', 'KEY.PEM'],
    ['.ssh/**', '.SSH/id'],
    ['ÉTÉ*', 'e\u0301te\u0301.txt'],
    ['e\u0301?', 'É1'],
    ['straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['id_?', 'ID_ß'],
    ['[a-z]x', 'QX'],
    ['[É]', 'é'],
    ['\u212Aey', 'KEY'],
    ['ſecret', 'SECRET'],
  ])('NFR-SEC-03: folded, %s matches %s', (pattern, path) => {
    expect(matches(pattern, path, { foldCase: true })).toBe(true)
    expect(matches(pattern, path)).toBe(false)
  })

  it('NFR-SEC-03: folded, a negated set leaves out both cases', () => {
    expect(matches('[!a-z]', 'Q', { foldCase: true })).toBe(false)
    expect(matches('[!a-z]', '1', { foldCase: true })).toBe(true)
  })
})

describe('patterns that cannot be understood', () => {
  it.each([
    ['', 'the pattern is empty'],
    ['{a', 'a "{" is never closed; write \\{ for the character'],
    ['a}', 'the "}" at character 2 closes nothing; write \\} for the character'],
    ['[a', 'a "[" is never closed; write \\[ for the character'],
    ['[]', 'a "[" is never closed; write \\[ for the character'],
    ['[z-a]', 'the range z-a runs backwards'],
    ['[a/b]', 'a set in brackets cannot hold "/"'],
    ['[[:alpha:]]', 'named classes like [:alpha:] are not supported; write the ranges'],
    ['{1..3}', 'ranges like {1..3} are not supported; list the alternatives'],
    ['a\\', 'a backslash must come before the character it escapes'],
    ['../a', '".." in a pattern matches nothing, because paths are compared without it'],
    ['{a,b}'.repeat(9), 'its braces expand to more than 256 patterns; write several patterns'],
    [`{${'a,'.repeat(300)}}`, 'its braces expand to more than 256 patterns; write several patterns'],
    ['{'.repeat(4096), 'a "{" is never closed; write \\{ for the character'],
    ['a'.repeat(4097), 'the pattern is longer than 4096 characters'],
  ])('%.20s: %s', (pattern, message) => {
    expect(problemOf(pattern)).toBe(message)
  })

  it('never throws, whatever is written', () => {
    const parts = fc.constantFrom(
      '{',
      '}',
      ',',
      '[',
      ']',
      '!',
      '-',
      '\\',
      '/',
      '*',
      '?',
      'a',
      '..',
      '😀',
      '\uD800',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
        const parsed = parseGlob(pieces.join(''))
        if (parsed.ok) expect(typeof compileGlob(parsed.glob, { foldCase: true })('a/b')).toBe('boolean')
        else expect(parsed.message).not.toBe('')
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})

const matchesName = (part: string, name: string): boolean => {
  if (part === '') return name === ''
  const [head = ''] = part
  if (head === '*')
    return matchesName(part.slice(1), name) || (name !== '' && matchesName(part, name.slice(1)))
  return name !== '' && (head === '?' || head === name[0]) && matchesName(part.slice(1), name.slice(1))
}

/** The plainest reading there is: tries everything, character by character. */
const matchesNaively = (parts: readonly string[], names: readonly string[], dot: boolean): boolean => {
  const [part, ...others] = parts
  const [name, ...rest] = names
  if (part === undefined) return name === undefined
  const isOpen = name !== undefined && (dot || !name.startsWith('.'))
  if (part === '**') return matchesNaively(others, names, dot) || (isOpen && matchesNaively(parts, rest, dot))
  const mayMatch = isOpen || (name !== undefined && part.startsWith('.'))
  return mayMatch && matchesName(part, name) && matchesNaively(others, rest, dot)
}

/** Has no part that stands for the same folder or the one above, and two stars only alone. */
const isOrdinary = (text: string): boolean => text !== '.' && text !== '..' && !/.\*\*|\*\*./.test(text)

describe('laws', () => {
  it('NFR-SEC-03: agrees with a plain reading that tries everything, folded or not, with and without dots', () => {
    const part = fc.oneof(fc.constant('**'), fc.stringMatching(/^[.ab?*]{1,4}$/))
    const name = fc.stringMatching(/^[.ab]{1,4}$/)
    const parts = fc.array(part.filter(isOrdinary), { minLength: 1, maxLength: 5 })
    const names = fc.array(name.filter(isOrdinary), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(parts, names, fc.boolean(), fc.boolean(), (pattern, path, foldCase, dot) => {
        const shown = foldCase ? path.join('/').toUpperCase() : path.join('/')
        expect(matches(pattern.join('/'), shown, { foldCase, dot })).toBe(matchesNaively(pattern, path, dot))
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('NFR-SEC-03: of several globs the first that matches is named', () => {
    const globs = ['*.key', '**/*.pem', '**/k.pem'].map((pattern) => parseGlob(pattern))
    const find = compileGlobs(globs.flatMap((parsed) => (parsed.ok ? [parsed.glob] : [])))
    expect(['a/k.pem', 'k.key', 'k.txt'].map((path) => find(path)?.pattern)).toEqual([
      '**/*.pem',
      '*.key',
      undefined,
    ])
  })

  it.each([
    [`${'*a'.repeat(200)}*b`, 'a'.repeat(4000)],
    [`${'*?a'.repeat(200)}*b`, 'a'.repeat(4000)],
    [`${'**/a/'.repeat(200)}b`, 'a/'.repeat(2000)],
    [`${'**/*a*/'.repeat(200)}b`, 'a/'.repeat(2000)],
  ])('NFR-SEC-03: %.12s… does not blow up', (pattern, path) => {
    expect(matches(pattern, path, { foldCase: true })).toBe(false)
  })
})
