import { describe, expect, it } from 'vitest'
import { applySection } from '../../../src/tools/lp1/apply.ts'
import { contentError, directoryError, LP1_CODES, tooLargeError } from '../../../src/tools/lp1/lp1-error.ts'
import { mergeSections } from '../../../src/tools/lp1/operation.ts'
import type { Patch } from '../../../src/tools/lp1/operation.ts'
import { blockOf, errorOf, fileOf, patchOf, resultOf, runOps, runWhole } from './run-patch.ts'

const BOM = '\uFEFF'
const slashed = (ops: string): string[] => ops.split(' / ').map((line) => (line === '∅' ? '' : line))

type Case = readonly [title: string, before: string | null, ops: string, after: string | null]

const MATCHING: readonly Case[] = [
  ['R puts in fewer lines', 'a\nb\nc\n', 'R / a / b / . / x / .', 'x\nc\n'],
  ['R puts in more lines', 'a\nb\n', 'R / b / . / x / y / z / .', 'a\nx\ny\nz\n'],
  ['R with an empty new block deletes', 'a\nb\nc\n', 'R / b / . / .', 'a\nc\n'],
  ['R with the same text changes nothing', 'a\nb\n', 'R / a / . / a / .', 'a\nb\n'],
  ['I stands after the whole run', 'a\nb\nc\n', 'I / a / b / . / x / .', 'a\nb\nx\nc\n'],
  ['I after the last line', 'a\nb\n', 'I / b / . / x / .', 'a\nb\nx\n'],
  ['I with an empty new block changes nothing', 'a\n', 'I / a / . / .', 'a\n'],
  ['P stands before the whole run', 'a\nb\nc\n', 'P / b / c / . / x / y / .', 'a\nx\ny\nb\nc\n'],
  ['P before the first line', 'a\n', 'P / a / . / x / .', 'x\na\n'],
  ['E takes a run', 'a\nb\nc\n', 'E / a / b / .', 'c\n'],
  ['an empty line can be found', 'a\n\nb\n', 'E / ∅ / .', 'a\nb\n'],
  ['whole lines match, not parts', 'foobar\nfoo\n', 'E / foo / .', 'foobar\n'],
  ['an LF patch matches a CRLF file', 'a\r\nb\r\n', 'R / a / b / . / x / .', 'x\r\n'],
  ['a run matches across mixed endings', 'a\r\nb\nc\n', 'E / a / b / .', 'c\n'],
  ['the last line matches without a newline', 'a\nb', 'R / b / . / c / .', 'a\nc'],
  ['a run may not wrap around', 'b\na\n', 'E / a / b / .', '! match_not_found'],
  ['a run longer than the file', 'a\n', 'E / a / a / .', '! match_not_found'],
  ['nothing is found in the empty file', '', 'E / a / .', '! match_not_found'],
  ['an empty file has no empty line', '', 'E / ∅ / .', '! match_not_found'],
  ['blanks at the end count', 'a\n', 'E / a  / .', '! match_not_found'],
  ['occurrence 1 of one', 'a\n', 'R 1 / a / . / b / .', 'b\n'],
  ['overlapping matches count separately', 'x\nx\nx\n', 'R 2 / x / x / . / y / .', 'x\ny\n'],
  ['overlapping matches make a run ambiguous', 'x\nx\nx\n', 'E / x / x / .', '! match_not_unique'],
  ['an occurrence beyond the last', 'a\nb\na\n', 'E 3 / a / .', '! occ_out_of_range'],
  ['an occurrence larger than any number', 'a\n', `E ${'9'.repeat(400)} / a / .`, '! occ_out_of_range'],
  ['an occurrence of nothing', 'a\n', 'E 2 / b / .', '! match_not_found'],
  ['an empty find block', 'a\n', 'E / .', '! empty_find'],
  ['an empty find block with an occurrence', 'a\n', 'R 1 / . / b / .', '! empty_find'],
  ['a later operation finds new lines', 'a\n', 'R / a / . / b / . / R / b / . / c / .', 'c\n'],
  ['a later operation finds no lines that went', 'a\nb\n', 'E / a / . / E / a / .', '! match_not_found'],
  ['deleting one of two makes the other unique', 'a\na\n', 'E 1 / a / . / R / a / . / b / .', 'b\n'],
]

const EDGES: readonly Case[] = [
  ['T appends', 'a\n', 'T / b / c / .', 'a\nb\nc\n'],
  ['B comes first', 'a\n', 'B / x / y / .', 'x\ny\na\n'],
  ['B twice comes first twice', 'a\n', 'B / x / . / B / y / .', 'y\nx\na\n'],
  ['B on a file without a final newline', 'a', 'B / x / .', 'x\na'],
  ['B comes after a byte order mark', `${BOM}a\n`, 'B / x / .', `${BOM}x\na\n`],
  ['T with an empty block', 'a', 'T / .', 'a'],
  ['B with an empty block', '', 'B / .', ''],
  ['T on the empty file keeps it without a newline', '', 'T / a / b / .', 'a\nb'],
  ['T on the empty file and N +', '', 'T / a / . / N +', 'a\n'],
  ['T joins a CRLF file by CRLF', 'a\r\nb', 'T / c / .', 'a\r\nb\r\nc'],
  ['T joins one line without any ending by LF', 'a', 'T / b / .', 'a\nb'],
  ['T with an empty line on a file without a newline', 'a', 'T / ∅ / .', 'a\n'],
  ['that empty line is still there for the next T', 'a', 'T / ∅ / . / T / b / .', 'a\n\nb'],
  ['deleting the last line keeps the end without newline', 'a\nb', 'E / b / .', 'a'],
  ['deleting every line gives the empty file', 'a\nb\n', 'E / a / b / .', ''],
  ['deleting every line keeps the byte order mark', `${BOM}a\n`, 'E / a / .', BOM],
  ['the newline is remembered over an empty file', 'a\n', 'E / a / . / T / b / .', 'b\n'],
  ['so is its absence', 'a', 'E / a / . / T / b / .', 'b'],
  ['and the line ending', 'a\r\n', 'E / a / . / T / b / .', 'b\r\n'],
]

const NEWLINES: readonly Case[] = [
  ['N + adds one', 'a', 'N +', 'a\n'],
  ['N + adds the majority ending', 'a\r\nb', 'N +', 'a\r\nb\r\n'],
  ['N + keeps one', 'a\n', 'N +', 'a\n'],
  ['N - keeps none', 'a', 'N -', 'a'],
  ['N - takes CRLF away', 'a\r\n', 'N -', 'a'],
  ['N - takes one of two newlines', 'a\n\n', 'N -', 'a\n'],
  ['N - on just one newline gives the empty file', '\n', 'N -', ''],
  ['N - on just one CRLF gives the empty file', '\r\n', 'N -', ''],
  ['N - on the empty file leaves it', '', 'N -', ''],
  ['N - on one newline leaves no line behind', '\n', 'N - / T / a / .', 'a'],
  ['N + and N - on the empty file', '', 'N + / N -', ''],
  ['the last N wins', 'a', 'N + / N - / N +', 'a\n'],
  ['N - and T', 'a\n', 'N - / T / b / .', 'a\nb'],
  ['N + after every line went', 'a\n', 'E / a / . / N +', '\n'],
  ['N + and then T on the emptied file', 'a', 'E / a / . / N + / T / b / .', '\nb\n'],
]

const ENDINGS: readonly Case[] = [
  ['LF in a tie', 'a\r\nb\n', 'T / c / .', 'a\r\nb\nc\n'],
  ['LF where it is the majority', 'a\r\nb\nc\n', 'B / x / .', 'x\na\r\nb\nc\n'],
  ['CRLF where it is the majority', 'a\r\nb\nc\r\n', 'R / b / . / x / y / .', 'a\r\nx\r\ny\r\nc\r\n'],
  ['the majority of the file as it was', 'a\r\nb\r\nc\n', 'E / a / b / . / T / d / .', 'c\nd\r\n'],
  [
    'a line keeps its own ending behind the end',
    'a\nb\r\nc\r\nd',
    'E / d / . / E / c / b / .',
    '! match_not_found',
  ],
  ['an ending hidden by the end comes back', 'a\r\nb\r\nc\nd', 'E / d / . / T / e / .', 'a\r\nb\r\nc\ne'],
  ['N - then N + keeps the ending of the last line', 'a\r\nb\r\nc\n', 'N - / N +', 'a\r\nb\r\nc\n'],
]

const CREATING: readonly Case[] = [
  ['T', null, 'T / a / b / .', 'a\nb\n'],
  ['B', null, 'B / a / .', 'a\n'],
  ['B and T', null, 'T / b / . / B / a / .', 'a\nb\n'],
  ['T without a final newline', null, 'T / a / . / N -', 'a'],
  ['N - before T', null, 'N - / T / a / .', 'a'],
  ['N + alone', null, 'N +', '\n'],
  ['T with an empty line', null, 'T / ∅ / .', '\n'],
  ['a byte order mark and no line', null, `T / ${BOM} / . / N -`, BOM],
  ['nothing: N -', null, 'N -', null],
  ['nothing: T with an empty block', null, 'T / .', null],
  ['nothing: N + taken back', null, 'N + / N -', null],
  ['nothing: an empty line without its newline', null, 'T / ∅ / . / N -', null],
  ['R', null, 'R / a / . / b / .', '! missing_file_for_match_op'],
  ['I', null, 'I / a / . / b / .', '! missing_file_for_match_op'],
  ['P', null, 'P / a / . / b / .', '! missing_file_for_match_op'],
  ['E', null, 'E / a / .', '! missing_file_for_match_op'],
  ['E of a line that T brought', null, 'T / a / b / . / E / a / .', '! missing_file_for_match_op'],
]

const run = (_title: string, before: string | null, ops: string, after: string | null): void => {
  expect(resultOf(runOps(before, slashed(ops)))).toBe(after)
}

describe('matching', () => {
  it.each(MATCHING)('%s', run)
})
describe('the edges of a file', () => {
  it.each(EDGES)('%s', run)
})
describe('the final newline', () => {
  it.each(NEWLINES)('%s', run)
})
describe('line endings of new lines', () => {
  it.each(ENDINGS)('%s', run)
})
describe('a file that does not exist', () => {
  it.each(CREATING)('%s', run)
})

describe('whether anything changed', () => {
  it.each([
    ['an edit that comes to the same', 'a\nb\n', 'R / a / . / x / . / R / x / . / a / .', false],
    ['a section without operations', 'a\r\nb', '', false],
    ['a changed ending', 'a\r\nb\r\nc\n', 'R / c / . / c / .', true],
    ['an added byte order mark', 'a\n', `B / ${BOM} / .`, true],
    ['a removed newline', 'a\n', 'N -', true],
    ['an empty line that only its newline shows', 'a\n', 'N - / T / ∅ / .', false],
    ['nothing created', null, 'N -', false],
    ['something created', null, 'N +', true],
  ])('%s', (_title, before, ops, changed) => {
    expect(runOps(before, ops === '' ? [] : slashed(ops))).toMatchObject({ changed })
  })

  it('leaves the given file as it was', () => {
    const file = fileOf('a\r\nb\n')
    const copy = structuredClone(file)
    const patch = patchOf('LP1\nF f\nR\nb\n.\nc\n.\nB\nx\n.\nEND')
    const result = applySection(patch.sections[0]?.ops ?? [], file, { strictEol: false })
    expect(result).toMatchObject({ ok: true, changed: true })
    expect(file).toEqual(copy)
  })
})

describe('strict line endings', () => {
  it('refuse a file that mixes them, at the first operation, naming the line that differs', () => {
    const error = errorOf(runOps('a\nb\nc\r\n', slashed('N + / T / x / .'), true))
    expect(error).toMatchObject({ code: 'mixed_eol', line: 3 })
    expect(error.message).toContain('line 3')
  })

  it.each([
    ['only LF', 'a\nb\n', 'a\nb\nx\n'],
    ['only CRLF and no final newline', 'a\r\nb', 'a\r\nb\r\nx'],
    ['no ending at all', 'a', 'a\nx'],
    ['a missing file', null, 'x\n'],
  ])('accept %s', (_title, before, after) => {
    expect(resultOf(runOps(before, slashed('T / x / .'), true))).toBe(after)
  })

  it('do not matter to a section without operations', () => {
    expect(runOps('a\nb\r\n', [], true)).toEqual({ text: 'a\nb\r\n', changed: false })
  })
})

describe('apply errors', () => {
  it.each([
    ['match_not_found', 5, 'a\n', 'N + / # then / E / b / .'],
    ['match_not_unique', 3, 'a\na\n', 'E / a / .'],
    ['occ_out_of_range', 4, 'a\n', '∅ / E 2 / a / .'],
    ['empty_find', 6, 'a\n', 'T / x / . / I / . / y / .'],
    ['missing_file_for_match_op', 6, null, 'T / x / . / E / a / .'],
    ['mixed_eol', 4, 'a\nb\r\n', '# first / N +'],
  ])('%s carries the patch line of its operation, %i', (code, line, before, ops) => {
    const error = errorOf(runOps(before, slashed(ops), true))
    expect({ code: error.code, line: error.line, column: error.column }).toEqual({
      code,
      line,
      column: undefined,
    })
  })

  it('match_not_unique lists the first lines of all matches, in order', () => {
    const error = errorOf(runOps('a\nb\na\nb\nx\na\nb\n', slashed('R / a / b / . / y / .')))
    expect(error.matches).toEqual([1, 3, 6])
    expect(error.message).toContain('lines 1, 3, 6')
    expect(error.message).toContain('R 2')
  })

  it('occ_out_of_range lists them too', () => {
    const error = errorOf(runOps('a\nb\na\n', slashed('E 3 / a / .')))
    expect(error.matches).toEqual([1, 3])
    expect(error.message).toContain('2 times')
  })

  it('count lines as the failing operation saw them, and say so', () => {
    const error = errorOf(runOps('a\na\n', slashed('B / x / y / . / E / a / .')))
    expect(error.matches).toEqual([3, 4])
    expect(error.message).toContain('after the operations before this one')
  })

  it('stay short however many matches there are', () => {
    const error = errorOf(runOps('a\n'.repeat(5000), slashed('E / a / .')))
    expect(error.matches).toHaveLength(5000)
    expect(error.message.length).toBeLessThan(400)
  })

  it('exist for what only the caller can see', () => {
    const failure = { ok: false, code: 'bare_cr', line: 7, message: 'seven' } as const
    expect(contentError(failure, 3)).toEqual({ code: 'bare_cr', line: 3, message: 'seven' })
    expect(directoryError(2)).toMatchObject({ code: 'is_directory', line: 2 })
    const tooLarge = tooLargeError(4, 9_000_000, 8_388_608)
    expect(tooLarge).toMatchObject({ code: 'file_too_large', line: 4 })
    expect(tooLarge.message).toContain('8388608')
    expect([...LP1_CODES.apply].slice(-2)).toEqual(['is_directory', 'file_too_large'])
  })
})

function twoSections(first: string[], second: string[]): Patch {
  return patchOf(['LP1', 'F ./f', ...first, 'F g', 'N +', 'F f', ...second, 'END'].join('\n'))
}

describe('two sections for one file', () => {
  it('are one section in the place of the first, with the operations of both', () => {
    const patch = twoSections(['T', 'x', '.'], ['N -'])
    expect(mergeSections(patch, (path) => path.replace('./', '')).sections).toEqual([
      {
        path: './f',
        line: 2,
        ops: [
          { letter: 'T', line: 3, fresh: ['x'] },
          { letter: 'N', line: 9, endsInNewline: false },
        ],
      },
      { path: 'g', line: 6, ops: [{ letter: 'N', line: 7, endsInNewline: true }] },
    ])
  })

  it('stay two where their keys differ', () => {
    const patch = twoSections([], [])
    expect(mergeSections(patch, (path) => path)).toEqual(patch)
  })

  it('FR-TOOL-PATCH-01: continue on what the first one left', () => {
    const patch = [
      'LP1',
      'F f',
      'R',
      ...blockOf(['a']),
      ...blockOf(['b']),
      'F f',
      'R',
      'b',
      '.',
      'c',
      '.',
      'END',
    ]
    expect(resultOf(runWhole('a\nz\n', patch.join('\n')))).toBe('c\nz\n')
  })
})
