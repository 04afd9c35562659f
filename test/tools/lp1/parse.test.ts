import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Lp1Code } from '../../../src/tools/lp1/lp1-error.ts'
import { LP1_CODES } from '../../../src/tools/lp1/lp1-error.ts'
import { parsePatch } from '../../../src/tools/lp1/parse.ts'
import { unfence } from '../../../src/tools/lp1/parse.ts'
import { patchOf } from './run-patch.ts'
import { roundsOf } from '../../harness/long-run.ts'

const T = 'T\nx\n.'
const TICKS = '`'.repeat(3)

describe('the container', () => {
  it.each([
    ['the plain form', 'LP1\nF f\nEND'],
    ['blanks and tabs around LP1 and END', ' \tLP1\t \nF f\n\t END \t'],
    ['comments and blank lines before the header', '# why\n\n  \t\n\t# more\nLP1\nF f\nEND\n'],
    ['comments and blank lines everywhere between', 'LP1\n\n# a\nF f\n \n  # b\nEND'],
    ['comments and blank lines after END', 'LP1\nF f\nEND\n\n # bye\n\t\n'],
    ['CRLF line ends', 'LP1\r\nF f\r\nEND\r\n'],
    ['a last line that ends in CR', 'LP1\nF f\nEND\r'],
    ['an indented file line', 'LP1\n  F f\nEND'],
  ])('accepts %s', (_title, text) => {
    expect(patchOf(text).sections).toMatchObject([{ path: 'f', ops: [] }])
  })

  it('accepts a patch without sections', () => {
    expect(patchOf('LP1\nEND')).toEqual({ sections: [] })
  })

  it('keeps sections in order, also two for one path, with the line of each', () => {
    expect(patchOf(`LP1\nF a\n${T}\nF b\nF a\n${T}\nEND`).sections).toEqual([
      { path: 'a', line: 2, ops: [{ letter: 'T', line: 3, fresh: ['x'] }] },
      { path: 'b', line: 6, ops: [] },
      { path: 'a', line: 7, ops: [{ letter: 'T', line: 8, fresh: ['x'] }] },
    ])
  })

  it('skips comments and blank lines between operations but not inside their blocks', () => {
    const text = 'LP1\nF f\n# one\nE\n# text\n\n.\n\n # two\nN +\nEND'
    expect(patchOf(text).sections[0]?.ops).toEqual([
      { letter: 'E', line: 4, occurrence: null, find: ['# text', ''] },
      { letter: 'N', line: 10, endsInNewline: true },
    ])
  })
})

describe('the path of a file line', () => {
  it.each([
    ['F a/b.txt', 'a/b.txt'],
    ['F \t a  ', 'a'],
    ['F #a', '#a'],
    ['F a\\b', 'a\\b'],
    ['F END', 'END'],
    ['F "a b"', 'a b'],
    ['F "a b" \t', 'a b'],
    ['F "say \\"hi\\" \\\\ bye"', 'say "hi" \\ bye'],
    ['F "tab\tin"', 'tab\tin'],
    ['F naïve\u00a0file', 'naïve\u00a0file'],
  ])('%j names %j', (line, path) => {
    expect(patchOf(`LP1\n${line}\nEND`).sections[0]?.path).toBe(path)
  })
})

describe('operation lines', () => {
  it.each([
    ['R', { letter: 'R', occurrence: null }],
    ['R 2', { letter: 'R', occurrence: 2 }],
    ['R2', { letter: 'R', occurrence: 2 }],
    ['I \t 10 ', { letter: 'I', occurrence: 10 }],
    [' P1', { letter: 'P', occurrence: 1 }],
    ['R 007', { letter: 'R', occurrence: 7 }],
  ])('%j takes two blocks', (line, op) => {
    const [parsed] = patchOf(`LP1\nF f\n${line}\na\n.\nb\nc\n.\nEND`).sections[0]?.ops ?? []
    expect(parsed).toEqual({ ...op, line: 3, find: ['a'], fresh: ['b', 'c'] })
  })

  it.each([
    ['E', { letter: 'E', occurrence: null, find: ['a'] }],
    ['E3', { letter: 'E', occurrence: 3, find: ['a'] }],
    ['T', { letter: 'T', fresh: ['a'] }],
    ['B \t', { letter: 'B', fresh: ['a'] }],
  ])('%j takes one block', (line, op) => {
    expect(patchOf(`LP1\nF f\n${line}\na\n.\nEND`).sections[0]?.ops).toEqual([{ ...op, line: 3 }])
  })

  it.each([
    ['N +', true],
    ['N+', true],
    ['N -', false],
    ['N-  ', false],
    ['\tN\t+', true],
  ])('%j takes no block', (line, endsInNewline) => {
    expect(patchOf(`LP1\nF f\n${line}\nEND`).sections[0]?.ops).toEqual([
      { letter: 'N', line: 3, endsInNewline },
    ])
  })
})

describe('blocks', () => {
  it.each([
    ['no lines at all', '.', []],
    ['a terminator with blanks and tabs behind it', 'a\n. \t ', ['a']],
    ['an indented dot is text', ' .\n\t.\n.', [' .', '\t.']],
    ['two dots are one', '..\n.', ['.']],
    ['two dots and blanks are text', '.. \n.', ['. ']],
    ['exactly one dot goes', '...\n....x\n.', ['..', '...x']],
    ['dots inside a line stay', 'a..b.\n.', ['a..b.']],
    [
      'everything else is text',
      'END\nF x\n# no\nLP1\n\n  \nR 2\n.',
      ['END', 'F x', '# no', 'LP1', '', '  ', 'R 2'],
    ],
    ['trailing blanks count', 'a  \nb\t\n.', ['a  ', 'b\t']],
  ])('%s', (_title, block, fresh) => {
    expect(patchOf(`LP1\nF f\nT\n${block}\nEND`).sections[0]?.ops).toEqual([{ letter: 'T', line: 3, fresh }])
  })

  it('loses the CR of every line of a CRLF patch, and only that one', () => {
    const patch = patchOf('LP1\r\nF f\r\nR\r\na\r\r\n.\r\n b\r\n. \r\nEND\r\n')
    expect(patch.sections[0]?.ops).toMatchObject([{ find: ['a\r'], fresh: [' b'] }])
  })
})

type Failure = readonly [code: Lp1Code, line: number, column: number, text: string]

const FAILURES: readonly Failure[] = [
  ['missing_header', 1, 1, ''],
  ['missing_header', 3, 1, '\n# only a comment\n'],
  ['missing_header', 1, 8, '  # end'],
  ['invalid_header', 1, 1, 'LP2\nEND'],
  ['invalid_header', 2, 3, '\n  lp1\nEND'],
  ['invalid_header', 1, 1, 'LP1 now\nEND'],
  ['invalid_header', 1, 1, 'F f\nEND'],
  ['invalid_header', 1, 1, `${TICKS}\nLP1\nEND\n${TICKS}`],
  ['missing_end', 2, 8, 'LP1\nF f.txt'],
  ['missing_end', 3, 1, 'LP1\nF f.txt\n'],
  ['missing_end', 1, 4, 'LP1'],
  ['trailing_garbage', 4, 1, 'LP1\nEND\n# fine\nF f'],
  ['trailing_garbage', 3, 3, 'LP1\nEND\n  END'],
  ['trailing_garbage', 2, 7, 'LP1\nEND \t now'],
  ['expected_file_section', 2, 1, `LP1\n${T}\nEND`],
  ['expected_file_section', 3, 2, 'LP1\n\n hello\nEND'],
  ['expected_file_section', 2, 1, 'LP1\nFx\nEND'],
  ['missing_path', 2, 2, 'LP1\nF\nEND'],
  ['missing_path', 2, 5, 'LP1\n F \t\nEND'],
  ['missing_path', 2, 3, 'LP1\nF ""\nEND'],
  ['bad_quoted_path_escape', 2, 5, 'LP1\nF "a\\n"\nEND'],
  ['bad_quoted_path_escape', 2, 5, 'LP1\nF "😀\\x"\nEND'],
  ['unterminated_quoted_path', 2, 3, 'LP1\nF "a b\nEND'],
  ['unterminated_quoted_path', 2, 3, 'LP1\nF "a\\"\nEND'],
  ['unterminated_quoted_path', 2, 3, 'LP1\nF "a\\\nEND'],
  ['unexpected_text', 2, 5, 'LP1\nF a b\nEND'],
  ['unexpected_text', 2, 6, 'LP1\nF "a"b\nEND'],
  ['unexpected_text', 2, 5, 'LP1\nF a # no\nEND'],
  ['unexpected_text', 2, 4, 'LP1\nF a"b"\nEND'],
  ['unexpected_text', 3, 5, 'LP1\nF f\nR 2 3\na\n.\nb\n.\nEND'],
  ['unexpected_text', 3, 3, 'LP1\nF f\nT 1\nx\n.\nEND'],
  ['unexpected_text', 3, 2, 'LP1\nF f\nB2\nx\n.\nEND'],
  ['unexpected_text', 3, 5, 'LP1\nF f\nN + # no\nEND'],
  ['unknown_op', 3, 1, 'LP1\nF f\nQ\nEND'],
  ['unknown_op', 3, 2, 'LP1\nF f\n r\na\n.\nb\n.\nEND'],
  ['unknown_op', 3, 1, 'LP1\nF f\nReplace\nEND'],
  ['unknown_op', 3, 1, 'LP1\nF f\nFg\nEND'],
  ['unknown_op', 3, 1, 'LP1\nF f\nend'],
  ['unknown_op', 6, 1, `LP1\nF f\n${T}\n.\nEND`],
  ['unknown_op', 3, 1, 'LP1\nF f\nLP1\nEND'],
  ['invalid_occ', 3, 3, 'LP1\nF f\nR x\na\n.\nb\n.\nEND'],
  ['invalid_occ', 3, 2, 'LP1\nF f\nE-1\na\n.\nEND'],
  ['invalid_occ', 3, 3, 'LP1\nF f\nI 1.5\na\n.\nb\n.\nEND'],
  ['invalid_occ', 3, 3, 'LP1\nF f\nP +1\na\n.\nb\n.\nEND'],
  ['invalid_occ', 3, 3, 'LP1\nF f\nR ٣\na\n.\nb\n.\nEND'],
  ['occ_zero', 3, 3, 'LP1\nF f\nR 0\na\n.\nb\n.\nEND'],
  ['occ_zero', 3, 2, 'LP1\nF f\nE00\na\n.\nEND'],
  ['invalid_n_flag', 3, 3, 'LP1\nF f\nN *\nEND'],
  ['invalid_n_flag', 3, 2, 'LP1\nF f\nN\nEND'],
  ['invalid_n_flag', 3, 2, 'LP1\nF f\nN+-\nEND'],
  ['bad_dot_stuffing', 4, 1, 'LP1\nF f\nT\n.env\n.\nEND'],
  ['bad_dot_stuffing', 5, 1, 'LP1\nF f\nR\na\n. b\n.\nEND'],
  ['bad_dot_stuffing', 4, 1, 'LP1\nF f\nT\n.\u00a0\n.\nEND'],
  ['unterminated_block', 3, 1, 'LP1\nF f\nT\ny\nEND'],
  ['unterminated_block', 4, 3, 'LP1\nF f\n\n  R\na\n.\nEND\n'],
  ['unterminated_block', 3, 1, 'LP1\nF f\nE'],
  ['bare_cr', 4, 3, 'LP1\nF f\nT\n😀a\rb\n.\nEND'],
  ['bare_cr', 4, 2, 'LP1\nF f\nT\na\r\r\n.\nEND'],
  ['invalid_utf8', 5, 2, 'LP1\nF f\nB\nfine\n😀\ud800\n.\nEND'],
]

describe('parse errors', () => {
  it.each(FAILURES)('%s at line %i, column %i of %j', (code, line, column, text) => {
    const parsed = parsePatch(text)
    expect(parsed).toMatchObject({ ok: false, error: { code, line, column } })
  })

  it('count the same lines and columns in a CRLF patch', () => {
    for (const [code, line, column, text] of FAILURES.filter((failure) => !failure[3].includes('\r'))) {
      const parsed = parsePatch(text.replaceAll('\n', '\r\n'))
      expect(parsed).toMatchObject({ ok: false, error: { code, line, column } })
    }
  })

  it('have a case above for every code of parsing', () => {
    const shown = new Set(FAILURES.map(([code]) => code))
    expect(LP1_CODES.parse.filter((code) => !shown.has(code))).toEqual([])
  })

  it.each([
    ['LP1\nF f\nr\nEND', 'upper case'],
    ['LP1\nF f\nT\ny\nEND', 'begins on line 4'],
    ['LP1\nF f\nR\na\n.\nEND', 'two blocks'],
    ['LP1\nF a b\nEND', 'double quotes'],
    ['LP1\nF f\n.\nEND', 'none is open'],
    ['LP1\nF f\nT\n.x\n.\nEND', 'with two'],
    ['LP1\nF f\nR x\nEND', 'R 2'],
    [`LP1\nF f\n${'q'.repeat(5000)}\nEND`, 'qqq…'],
  ])('of %j say how to write it: %j', (text, hint) => {
    const parsed = parsePatch(text)
    expect(parsed.ok ? '' : parsed.error.message).toContain(hint)
    expect(parsed.ok ? '' : parsed.error.message.length).toBeLessThan(400)
  })
})

describe('any text', () => {
  const signs = '"|\\|.|..|.x|#| |\t|\r|\n|\ud800|\uFEFF|x|9'.split('|')
  const words = ['LP1', 'END', 'F', 'F a', 'F "', 'R', 'I 2', 'P', 'E0', 'T', 'B', 'N', 'N+', 'N -', TICKS]
  const word = fc.constantFrom(...words, ...signs)
  const soup = fc.array(word, { maxLength: 30 }).map((some) => some.join('\n'))
  const mash = fc.array(word, { maxLength: 30 }).map((some) => some.join(''))
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), soup, mash)

  it('gives a patch or an error that points into the text, and never throws', () => {
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parsePatch(unfence(given))
        if (parsed.ok) return
        const lines = given.split('\n')
        expect(parsed.error.line).toBeGreaterThanOrEqual(1)
        expect(parsed.error.line).toBeLessThanOrEqual(lines.length)
        expect(parsed.error.column).toBeGreaterThanOrEqual(1)
        expect(parsed.error.column).toBeLessThanOrEqual((lines[parsed.error.line - 1] ?? '').length + 1)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })
})
