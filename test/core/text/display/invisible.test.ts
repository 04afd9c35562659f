import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invisibleNotes } from '../../../../src/core/text/display/invisible.ts'
import { sanitise } from '../../../../src/core/text/display/sanitise.ts'
import { roundsOf } from '../../../harness/long-run.ts'

const notes = (text: string): readonly string[] => invisibleNotes(text, { max: 10 })

describe('invisibleNotes', () => {
  it('names what hides by line, column in code points, and code point', () => {
    expect(notes('ab\u202Ecd\nx😀\u200By\r\n\u001B[31m')).toEqual([
      'line 1, column 3: U+202E RIGHT-TO-LEFT OVERRIDE',
      'line 2, column 3: U+200B ZERO WIDTH SPACE',
      'line 3, column 1: U+001B ESCAPE',
    ])
  })

  it.each([
    ['\u0000', 'U+0000 NULL'],
    ['\u001F', 'U+001F INFORMATION SEPARATOR ONE'],
    ['\u007F', 'U+007F DELETE'],
    ['\u0081', 'U+0081 CONTROL CHARACTER'],
    ['\u009B', 'U+009B CONTROL SEQUENCE INTRODUCER'],
    ['\u00AD', 'U+00AD SOFT HYPHEN'],
    ['\u2029', 'U+2029 PARAGRAPH SEPARATOR'],
    ['\u2069', 'U+2069 POP DIRECTIONAL ISOLATE'],
    ['\u206F', 'U+206F NOMINAL DIGIT SHAPES'],
    ['\u3164', 'U+3164 HANGUL FILLER'],
    ['\uFEFF', 'U+FEFF ZERO WIDTH NO-BREAK SPACE'],
    ['\uFFFB', 'U+FFFB INTERLINEAR ANNOTATION TERMINATOR'],
    ['\uFE0E', 'U+FE0E VARIATION SELECTOR-15'],
    ['\u{E0061}', 'U+E0061 TAG "a"'],
    ['\u{E01EF}', 'U+E01EF VARIATION SELECTOR-256'],
    ['\u{E0080}', 'U+E0080 INVISIBLE CHARACTER'],
    ['\uD800', 'U+D800 LONE SURROGATE'],
    ['\r', 'U+000D CARRIAGE RETURN'],
  ])('calls %j by its name', (character, name) => {
    expect(notes(`x${character}y`)).toEqual([`line 1, column 2: ${name}`])
  })

  it('says nothing about tabs, line ends, a byte order mark at the start, and emoji', () => {
    expect(notes('\uFEFFa\tb\r\nc\n👩🏽‍💻 ❤️ می‌خواهم')).toEqual([])
  })

  it('counts lines from where the text begins in its file, where a byte order mark is no longer at the start', () => {
    expect(invisibleNotes('\uFEFF\n\u200B', { max: 5, firstLine: 40 })).toEqual([
      'line 40, column 1: U+FEFF ZERO WIDTH NO-BREAK SPACE',
      'line 41, column 1: U+200B ZERO WIDTH SPACE',
    ])
  })

  it('takes a run of one character, or of tags, as one finding', () => {
    expect(notes('a\u200B\u200B\u200Bb\u{E0048}\u{E0049}c')).toEqual([
      'line 1, column 2: U+200B ZERO WIDTH SPACE and 2 more right after it',
      'line 1, column 6: U+E0048 TAG "H" and 1 more right after it',
    ])
  })

  it('stops at the limit and counts the rest', () => {
    expect(invisibleNotes('\u0001a\u0002b\u0003c\u0004', { max: 2 })).toEqual([
      'line 1, column 1: U+0001 START OF HEADING',
      'line 1, column 3: U+0002 START OF TEXT',
      'and 2 more',
    ])
    expect(invisibleNotes('\u0001', { max: 0 })).toEqual(['and 1 more'])
  })

  it('notes exactly what a display would replace', () => {
    const pieces = fc.constantFrom(
      'a',
      '\n',
      '\r\n',
      '\t',
      '\u200B',
      '\u200D',
      '👩',
      '💻',
      '\uFE0F',
      '\u0007',
      '\u2028',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = `x${parts.join('')}`
        const places = invisibleNotes(text, { max: 100 }).flatMap((note) => {
          const [, line = '', column = '', more = '0'] =
            /line (\d+), column (\d+):.*?(?: and (\d+) more|$)/.exec(note) ?? []
          return Array.from({ length: Number(more) + 1 }, (_, index) => [
            Number(line),
            Number(column) + index,
          ])
        })
        const lines = text.split('\n').map((line) => Array.from(line))
        for (const [line = 0, column = 0] of places) {
          const shown = lines[line - 1]
          if (shown !== undefined) shown[column - 1] = '.'
        }
        const masked = lines.map((line) => line.join('')).join('\n')
        expect(sanitise(masked)).toBe(masked.replaceAll('\r\n', '\n'))
        expect(places).toHaveLength(sanitise(text).split('\\u{').length - 1)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })
})
