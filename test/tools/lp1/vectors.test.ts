import { describe, expect, it } from 'vitest'
import { errorOf, resultOf, runOps, runWhole } from './run-patch.ts'

const BOM = '\uFEFF'

type Vector = readonly [title: string, before: string | null, ops: string, after: string | null]

const VECTORS: readonly Vector[] = [
  ['R replaces a line', 'red\ngreen\nblue\n', 'R / green / . / teal / .', 'red\nteal\nblue\n'],
  ['R 2 takes the second match', 'red\ngreen\nred\n', 'R 2 / red / . / x / .', 'red\ngreen\nx\n'],
  ['case matters', 'red\n', 'R / Red / . / x / .', '! match_not_found'],
  ['I inserts after', 'k1\nk2\n', 'I / k1 / . / n1 / n2 / .', 'k1\nn1\nn2\nk2\n'],
  ['E deletes', 'k1\nk2\n', 'E / k2 / .', 'k1\n'],
  ['T joins a file that has no final newline', 'a\nb', 'T / c / .', 'a\nb\nc'],
  ['N - takes the final newline away', 'a\n', 'N -', 'a'],
  ['N + gives the empty file one empty line', '', 'N +', '\n'],
  ['T follows the empty line of N +', '', 'N + / T / top / .', '\ntop\n'],
  ['B creates a file', null, 'B / hello / .', 'hello\n'],
  ['no operations create nothing', null, '', null],
  ['a new line takes the majority ending', 'p\r\nq\nr\r\n', 'I / q / . / new / .', 'p\r\nq\nnew\r\nr\r\n'],
  [
    'dots are stuffed in both blocks',
    '.env\nbin\n',
    'R / ..env / . / ..env / ..env.local / .',
    '.env\n.env.local\nbin\n',
  ],
  ['lines of dots lose one', 'x\n', 'T / .. / ... / .', 'x\n.\n..\n'],
  ['END inside a block is text', 'x\n', 'T / y', '! unterminated_block'],
  [
    'an operation sees what the one before it left',
    'one\ntwo\n',
    'R / one / . / two / . / R / two / . / z / .',
    '! match_not_unique',
  ],
  ['matches are counted from 1', 'a\n', 'R 0 / a / . / b / .', '! occ_zero'],
  ['N takes + or -', 'a\n', 'N *', '! invalid_n_flag'],
  ['an empty patch line is an empty line', 'a\n', 'T / ∅ / .', 'a\n\n'],
  ['a byte order mark stays first', `${BOM}a\n`, 'R / a / . / b / .', `${BOM}b\n`],
]

describe('the vectors of the language', () => {
  it.each(VECTORS)('FR-TOOL-PATCH-01: %s', (_title, before, ops, after) => {
    const lines = ops === '' ? [] : ops.split(' / ').map((line) => (line === '∅' ? '' : line))
    expect(resultOf(runOps(before, lines))).toBe(after)
  })

  it('FR-TOOL-PATCH-01: a patch without END is refused', () => {
    expect(errorOf(runWhole(null, 'LP1\nF f.txt')).code).toBe('missing_end')
  })

  it('FR-TOOL-PATCH-01: a patch without files is valid and changes nothing', () => {
    expect(runWhole(null, 'LP1\nEND')).toEqual({ text: null, changed: false })
  })
})
