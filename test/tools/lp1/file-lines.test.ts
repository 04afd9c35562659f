import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  areSameLines,
  endsInNewline,
  findMixedEnding,
  majorityEnding,
  readFileLines,
  splitTextLines,
  writeFileLines,
} from '../../../src/tools/lp1/file-lines.ts'
import type { LineEdit } from '../../../src/tools/lp1/replace-lines.ts'
import { lineCountOf, replaceLines, textOfLines } from '../../../src/tools/lp1/replace-lines.ts'
import { fileOf, textOf } from './run-patch.ts'
import { roundsOf } from '../../harness/long-run.ts'

const BOM = '\uFEFF'

function bytesOf(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => Buffer.from(typeof part === 'string' ? new TextEncoder().encode(part) : part)),
  )
}

describe('reading a file as lines', () => {
  it.each([
    ['the empty file', '', false, [], []],
    ['one newline', '\n', false, [''], ['\n']],
    ['one line without newline', 'a', false, ['a'], ['']],
    ['LF', 'a\nb\n', false, ['a', 'b'], ['\n', '\n']],
    ['CRLF', 'a\r\n\r\n', false, ['a', ''], ['\r\n', '\r\n']],
    ['mixed endings', 'a\r\nb\nc', false, ['a', 'b', 'c'], ['\r\n', '\n', '']],
    ['a byte order mark', `${BOM}a\n`, true, ['a'], ['\n']],
    ['a byte order mark alone', BOM, true, [], []],
    ['only the first mark is one', `${BOM}${BOM}a`, true, [`${BOM}a`], ['']],
    ['a mark further on is text', `a${BOM}\n${BOM}`, false, [`a${BOM}`, BOM], ['\n', '']],
    ['separators that are no newlines', 'a\u2028b\u0085\f\v\0', false, ['a\u2028b\u0085\f\v\0'], ['']],
  ])('%s', (_title, text, hasBom, texts, endings) => {
    expect(readFileLines(bytesOf(text))).toEqual({ ok: true, file: { hasBom, texts, endings } })
  })

  it.each([
    ['a CR at the end', 'bare_cr', 1, bytesOf('a\r')],
    ['a CR in the middle', 'bare_cr', 2, bytesOf('a\nb\rc\n')],
    ['two CRs before a newline', 'bare_cr', 3, bytesOf('a\r\nb\nc\r\r\n')],
    ['a lone continuation byte', 'invalid_utf8', 2, bytesOf('a\nb', [0x80], '\n')],
    ['a character cut at the end', 'invalid_utf8', 3, bytesOf('a\n\n', [0xe2, 0x82])],
    ['a character cut by a newline', 'invalid_utf8', 1, bytesOf([0xe2, 0x82], '\nb')],
    ['an overlong form', 'invalid_utf8', 1, bytesOf([0xc0, 0xaf])],
    ['a surrogate', 'invalid_utf8', 1, bytesOf([0xed, 0xa0, 0x80])],
    ['UTF-16', 'invalid_utf8', 1, bytesOf([0xff, 0xfe, 0x61, 0x00])],
  ])('refuses %s as %s in line %i', (_title, code, line, bytes) => {
    const read = readFileLines(bytes)
    expect(read).toMatchObject({ ok: false, code, line })
    expect(read.ok ? '' : read.message).toContain(`Line ${line}`)
  })

  it('gives back the bytes it was given, for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\n\n', BOM, '', ' ', '\0', '\u2028'),
      fc.string({ unit: 'grapheme' }),
    )
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (given) => {
        const bytes = new TextEncoder().encode(given)
        const read = readFileLines(bytes)
        if (read.ok) expect(writeFileLines(read.file)).toEqual(bytes)
        else expect(read.code === 'bare_cr' && /\r(?!\n)/u.test(given)).toBe(true)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('gives back the bytes it was given or refuses them, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const read = readFileLines(bytes)
        if (read.ok) expect(writeFileLines(read.file)).toEqual(bytes)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })
})

describe('facts about a file', () => {
  it.each([
    ['', false, '\n', undefined],
    ['a', false, '\n', undefined],
    ['a\n', true, '\n', undefined],
    ['a\r\nb', false, '\r\n', undefined],
    ['a\r\nb\n', true, '\n', 2],
    ['a\nb\r\nc\r\n', true, '\r\n', 2],
    ['a\nb\nc\r\nd', false, '\n', 3],
  ])('%j', (text, hasNewline, ending, mixedAt) => {
    const file = fileOf(text)
    expect([endsInNewline(file), majorityEnding(file), findMixedEnding(file)]).toEqual([
      hasNewline,
      ending,
      mixedAt,
    ])
  })

  it('two files are the same exactly if their bytes are', () => {
    const texts = ['', BOM, '\n', '\r\n', 'a', 'a\n', 'a\r\n', 'a\n\n', 'b\n', `${BOM}a\n`, 'a\nb', 'a\r\nb']
    for (const one of texts) {
      for (const other of texts) expect(areSameLines(fileOf(one), fileOf(other))).toBe(one === other)
    }
  })
})

describe('splitting text that is to become lines', () => {
  it.each([
    ['', []],
    ['\n', ['']],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\nb\n\n', ['a', 'b', '']],
  ])('%j', (text, texts) => {
    expect(splitTextLines(text)).toEqual({ ok: true, texts })
  })

  it.each([
    ['a\nb\rc', 'bare_cr', 2],
    ['a\nb\n\ud800', 'invalid_utf8', 3],
  ])('refuses %j', (text, code, line) => {
    expect(splitTextLines(text)).toMatchObject({ ok: false, code, line })
  })
})

describe('replacing ranges of lines', () => {
  type Row = readonly [title: string, before: string, edits: LineEdit[], after: string]
  it.each<Row>([
    ['one line', 'a\nb\nc\n', [{ from: 2, to: 2, texts: ['x'] }], 'a\nx\nc\n'],
    ['a range by fewer', 'a\nb\nc\n', [{ from: 1, to: 2, texts: ['x'] }], 'x\nc\n'],
    ['a range by nothing', 'a\nb\nc\n', [{ from: 2, to: 3, texts: [] }], 'a\n'],
    ['every line by nothing', 'a\nb', [{ from: 1, to: 2, texts: [] }], ''],
    ['an insertion', 'a\nb\n', [{ from: 2, to: 1, texts: ['x', 'y'] }], 'a\nx\ny\nb\n'],
    ['an insertion at the end', 'a\nb', [{ from: 3, to: 2, texts: ['x'] }], 'a\nb\nx'],
    ['an insertion into the empty file', '', [{ from: 1, to: 0, texts: ['x'] }], 'x'],
    ['the last line without a newline', 'a\nb', [{ from: 2, to: 2, texts: ['x', 'y'] }], 'a\nx\ny'],
    ['mixed endings', 'a\r\nb\nc\r\nd\n\r\n', [{ from: 3, to: 3, texts: ['x'] }], 'a\r\nb\nx\r\nd\n\r\n'],
    ['after a byte order mark', `${BOM}a\n`, [{ from: 1, to: 1, texts: ['x'] }], `${BOM}x\n`],
    [
      'several, by the numbers of the file as it was',
      'a\nb\nc\nd\n',
      [
        { from: 4, to: 4, texts: ['D'] },
        { from: 1, to: 1, texts: ['1', '2', '3'] },
        { from: 2, to: 1, texts: ['+'] },
      ],
      '1\n2\n3\n+\nb\nc\nD\n',
    ],
    [
      'an insertion before a line that is replaced',
      'a\nb\n',
      [
        { from: 2, to: 2, texts: ['B'] },
        { from: 2, to: 1, texts: ['+'] },
      ],
      'a\n+\nB\n',
    ],
    ['nothing', 'a\r\nb', [], 'a\r\nb'],
  ])('%s', (_title, before, edits, after) => {
    const result = replaceLines(fileOf(before), edits)
    expect(result.ok ? textOf(result.file) : result.message).toBe(after)
  })

  it.each([
    ['outside_file', 0, [{ from: 0, to: 0, texts: [] }]],
    ['outside_file', 0, [{ from: 2, to: 4, texts: [] }]],
    ['outside_file', 0, [{ from: 3, to: 1, texts: [] }]],
    ['outside_file', 0, [{ from: 5, to: 4, texts: [] }]],
    ['outside_file', 0, [{ from: 1.5, to: 2, texts: [] }]],
    ['outside_file', 0, [{ from: Number.NaN, to: 2, texts: [] }]],
    [
      'overlap',
      0,
      [
        { from: 2, to: 3, texts: [] },
        { from: 1, to: 2, texts: [] },
      ],
    ],
  ])('refuses %s', (code, edit, edits) => {
    expect(replaceLines(fileOf('a\nb\nc\n'), edits)).toMatchObject({ ok: false, code, edit })
  })

  it('counts lines and gives their text', () => {
    const file = fileOf('a\r\nb\nc')
    expect(lineCountOf(file)).toBe(3)
    expect(textOfLines(file, 1, 2)).toBe('a\nb')
    expect(textOfLines(file, 3, 9)).toBe('c')
    expect(textOfLines(file, 2, 1)).toBe('')
  })
})
