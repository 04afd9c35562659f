import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkElisp } from '../../../src/tools/checks/check-elisp.ts'
import { readable, tolerated, unreadable } from './emacs-verdicts.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('the verdict', () => {
  it.for(readable.map((text) => [text]))('is the one of Emacs, which reads %j', ([text = '']) => {
    expect(checkElisp(text)).toEqual([])
  })

  it.for(unreadable.map((text) => [text]))('is the one of Emacs, which stops in %j', ([text = '']) => {
    expect(checkElisp(text)).not.toEqual([])
  })

  it.for(tolerated.map((text) => [text]))('lets pass what is no matter of nesting: %j', ([text = '']) => {
    expect(checkElisp(text)).toEqual([])
  })

  it.for([['#| ( |#'], ['(a #| ) |# b)'], ['#| #| ( |# ( |# (a)'], ['(a #| " |#)'], ['#| a |# (b)']])(
    'passes over the block comment in %j',
    ([text = '']) => {
      expect(checkElisp(text)).toEqual([])
    },
  )

  it.for([['#| a'], ['#| #| a |# (b)'], ['#| a |# (b']])('sees what is open in %j', ([text = '']) => {
    expect(checkElisp(text)).toHaveLength(1)
  })
})

describe('a problem', () => {
  it('names the bracket that is not closed, and the line before which it should be', () => {
    const text = '(defun f (x)\n  (let ((y x))\n    (g y))\n\n(defun h () nil)\n'
    expect(checkElisp(text)).toEqual([
      {
        line: 1,
        column: 1,
        expected: '")" for the bracket that opens here',
        found: 'the end of the file',
        suggestion: 'Add ")" before line 5, where the next form begins in the first column.',
        message: 'line 1, column 1: expected ")" for the bracket that opens here, found the end of the file',
      },
    ])
  })

  it('does not point at a form before the bracket that is open', () => {
    const [first] = checkElisp('(a\n(b))\n(c\n')
    expect(first).toMatchObject({ line: 3, column: 1, suggestion: 'Add ")" where this form should end.' })
  })

  it('points at the first form behind the bracket, not at one inside an earlier form', () => {
    const [first] = checkElisp('(a\n(b))\n(c\n(d)\n')
    expect(first).toMatchObject({ line: 3, suggestion: expect.stringContaining('before line 4,') })
  })

  it('stands for every bracket that is open', () => {
    expect(checkElisp('(a\n  [b (c)')).toMatchObject([
      { line: 1, column: 1, suggestion: expect.stringContaining('2 brackets are open here') },
      { line: 2, column: 3, expected: '"]" for the bracket that opens here' },
    ])
  })

  it('names a bracket too many, and goes on behind it', () => {
    expect(checkElisp('(a))\n(b)\n  ]')).toMatchObject([
      { line: 1, column: 4, found: '")"', suggestion: expect.stringContaining('Remove this ")"') },
      { line: 3, column: 3, found: '"]"' },
    ])
  })

  it('names the opener of a bracket that does not match', () => {
    expect(checkElisp('\n (a]')).toMatchObject([
      {
        line: 2,
        column: 4,
        found: '"]"',
        expected: '")" for the bracket that opens at line 2, column 2',
        suggestion: 'Write ")" here, or correct the opener.',
      },
    ])
  })

  it('is the string alone where a string swallows the rest', () => {
    expect(checkElisp('(message "hello)\n(b)')).toMatchObject([
      {
        line: 1,
        column: 10,
        found: 'the end of the file',
        suggestion: expect.stringContaining('closing quote'),
      },
    ])
  })

  it('counts characters, not units', () => {
    expect(checkElisp('"😀" )')).toMatchObject([{ line: 1, column: 5 }])
  })

  it.for([
    ["(a ')", 1, 4, "a form after '", '")"'],
    ["(a `')", 1, 4, 'a form after `', '")"'],
    ['(a . b c)', 1, 8, '")" after the one form that follows a dot', '"c"'],
    ['(a . )', 1, 6, 'a form after the dot', '")"'],
    ['[a . b]', 1, 4, 'a dot only inside a list', '"."'],
    ['?ab', 1, 1, 'one character after "?"', 'more of it, beginning with "b"'],
    ['"\\users"', 1, 2, '4 hexadecimal digits', '"s"'],
    ['?\\Ca', 1, 1, '"-" after "\\C"', '"a"'],
    ['a\\', 1, 2, 'a character after the backslash', 'the end of the file'],
    ['#<buffer x>', 1, 1, 'a form that Emacs can read after "#"', '"<"'],
  ] as const)('of %j has its place and both sides', ([text, line, column, expected, found]) => {
    expect(checkElisp(text)[0]).toMatchObject({ line, column, expected, found })
  })

  it('comes at most twenty times', () => {
    expect(checkElisp(')'.repeat(5000))).toHaveLength(20)
    expect(checkElisp('('.repeat(5000))).toHaveLength(20)
  })
})

describe('laws', () => {
  const atom = fc.constantFrom(
    'a',
    '42',
    '?(',
    '?\\)',
    '"x) \\" ["',
    'b\\(c',
    "#'d",
    '?\\C-(',
    '; (\n',
    '#| ) |#',
    '[]',
  )
  const { form } = fc.letrec<{ form: string; list: string }>((tie) => ({
    form: fc.oneof({ maxDepth: 4 }, atom, tie('list')),
    list: fc
      .tuple(
        fc.constantFrom(['(', ')'], ['[', ']'], ['#s(', ')'], ["'(", ')']),
        fc.array(tie('form'), { maxLength: 4 }),
      )
      .map(([[open = '', close = ''], forms]) => `${open}${forms.join(' ')}${close}`),
  }))

  it('what is nested rightly has no problem, and one bracket more always has', () => {
    fc.assert(
      fc.property(fc.array(form), fc.constantFrom('(', ')', '[', ']', '"'), (forms, extra) => {
        const text = forms.join('\n')
        expect(checkElisp(text)).toEqual([])
        expect(checkElisp(`${text}\n${extra}`)).not.toEqual([])
        expect(checkElisp(`${extra}\n${text}`)).not.toEqual([])
      }),
    )
  })

  it('any text is read to its end, and every problem lies in it', () => {
    const letters = fc.constantFrom(...'()[]"\\?#;\'`,.|\n -CMNux{}^s1=&@a😀')
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 60 }), (text) => {
        const lines = text.split('\n')
        for (const { line, column } of checkElisp(text)) {
          expect(column).toBeGreaterThan(0)
          expect(column).toBeLessThanOrEqual(Array.from(lines[line - 1] ?? '').length + 1)
        }
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })
})
