import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findNewNameFault, parsePathArgument } from '../../../src/workspace/sandbox/path-argument.ts'
import { roundsOf } from '../../harness/long-run.ts'

const outcome = (path: string): string => {
  const parsed = parsePathArgument(path)
  return parsed.ok ? parsed.parts.join('/') : parsed.error.code
}

describe('a path argument', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \t\n'],
    ['NUL', 'a\0b'],
    ['NUL at the end', 'a.txt\0'],
    ['a lone surrogate', 'a\uD800'],
    ['the other half', '\uDC80b'],
    ['a drive', 'C:\\x'],
    ['a drive with slashes', 'c:/x'],
    ['a drive alone', 'C:'],
    ['a path on a drive', 'C:x'],
    ['a share', '\\\\srv\\s'],
    ['a raw path', '\\\\?\\C:\\x'],
    ['a device path', '//./COM1'],
    ['a raw path with slashes', '//?/C:/x'],
    ['CON', 'CON'],
    ['con in a folder', 'a/con/b'],
    ['NUL with an extension', 'nul.txt'],
    ['COM1 with two', 'Com1.tar.gz'],
    ['a superscript port', 'COM\u00B9'],
    ['LPT9', 'lpt9'],
    ['AUX and a blank', 'aux .h'],
    ['CONIN$', 'CONIN$'],
    ['a stream', 'f.txt:ads'],
    ['the default stream', 'f.txt::$DATA'],
    ['a stream of a folder', 'd:s/f.txt'],
    ['a name of 256 bytes', 'n'.repeat(256)],
    ['a name of 256 bytes in 128 characters', 'é'.repeat(128)],
    ['a path of 4097 bytes', 'abc/'.repeat(1024) + 'a'],
    ['a path of 10 MB', 'x/'.repeat(5_000_000)],
  ])('is refused as bad_args: %s', (_, path) => {
    expect(outcome(path)).toBe('bad_args')
  })

  it.each([
    ['a name of 255 bytes', 'n'.repeat(255)],
    ['a path of 4096 bytes', 'abc/'.repeat(1023) + 'abcd'],
    ['a newline', 'a\nb'],
    ['a backslash', 'a\\b'],
    ['a tilde', '~/x'],
    ['names that begin like devices', 'console/nulled/com10/auxiliary.h'],
    ['a name of dots', '...'],
    ['a blank inside', 'a b'],
    ['an emoji', '😀'],
  ])('is taken as it is: %s', (_, path) => {
    expect(outcome(path)).toBe(path)
  })

  it('says what is wrong, where, and what to do, on one short line', () => {
    const parsed = parsePathArgument(`${'a'.repeat(5000)}\n`)
    expect(parsed.ok).toBe(false)
    if (parsed.ok) return
    expect(parsed.error.message).toMatch(/^Cannot use the path .*: it is longer than 4096 bytes\.$/)
    expect(parsed.error.message.length).toBeLessThan(500)
    expect(parsed.error.recovery).toHaveLength(1)
  })

  it('never yields a part that goes nowhere, and is stable when put together again', () => {
    assert(
      property(string({ unit: 'grapheme' }), (path) => {
        const parsed = parsePathArgument(path)
        if (!parsed.ok) return
        for (const part of parsed.parts) expect(part === '' || part === '.' || part.includes('/')).toBe(false)
        const joined = (parsed.isAbsolute ? '/' : './') + parsed.parts.join('/')
        expect(parsePathArgument(joined)).toEqual(parsed)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })
})

describe('a new name', () => {
  it.each(['a.txt', '.hidden', 'a b', 'ü', '日本語', '👩\u200D🚀', 'a-b_c+d', 'back\\slash'])(
    'may be %j',
    (name) => {
      expect(findNewNameFault(name)).toBeNull()
    },
  )

  it.each([
    'a\n',
    '\r',
    '\x7F',
    '\x85',
    '\u2028',
    '\u200F',
    '\u061C',
    'a.',
    'a ',
    'CON.log',
    'a:b',
    'n'.repeat(256),
  ])('may not be %j', (name) => {
    expect(findNewNameFault(name)).not.toBeNull()
  })
})
