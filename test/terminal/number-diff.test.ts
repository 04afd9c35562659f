import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../src/core/text/unified-diff.ts'
import { describeHunk, gutterOf, numberDiff } from '../../src/terminal/number-diff.ts'

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n')
const shown = (diff: string): readonly string[] =>
  numberDiff(linesOf(diff)).map(({ is, number, text }) =>
    number === null ? `${is}: ${text}` : `${number}${text}`,
  )

describe('a diff with line numbers', () => {
  it('counts added and kept lines in the new text, removed ones in the old text', () => {
    const before = Array.from({ length: 20 }, (_, at) => `${at + 1}\n`)
    const after = before.toSpliced(9, 1, 'ten\n', 'and a half\n').toSpliced(2, 1)
    const diff = unifiedDiff({ path: 'a.txt', before: before.join(''), after: after.join('') })
    expect(shown(diff)).toEqual([
      'file: a.txt',
      'hunk: @@ -1,13 +1,13 @@',
      '1 1',
      '2 2',
      '3-3',
      '3 4',
      '4 5',
      '5 6',
      '6 7',
      '7 8',
      '8 9',
      '10-10',
      '9+ten',
      '10+and a half',
      '11 11',
      '12 12',
      '13 13',
    ])
    expect(gutterOf(numberDiff(linesOf(diff)))).toBe(2)
  })

  it('says which files are new and which are gone, and names each row its file', () => {
    const fresh = unifiedDiff({ path: 'a b', before: null, after: 'x\n' })
    const gone = unifiedDiff({ path: 'c', before: 'y', after: null })
    expect(shown(`${fresh}${gone}Mode of d: 644 → 755\n`)).toEqual([
      'file: "a b" (new)',
      'hunk: @@ -0,0 +1 @@',
      '1+x',
      'file: c (deleted)',
      'hunk: @@ -1 +0,0 @@',
      '1-y',
      'other: \\ No newline at end of file',
      'other: Mode of d: 644 → 755',
    ])
    expect(numberDiff(linesOf(fresh)).map(({ file }) => file)).toEqual(['a b', 'a b', 'a b'])
  })

  it('takes no line of a file for a header, whatever it says', () => {
    const before = '-- a/x\n@@ -1 +1 @@\n'
    const after = '++ b/x\n@@ -1 +1 @@\n'
    const diff = unifiedDiff({ path: 'a', before, after })
    expect(diff).toContain('\n--- a/x\n+++ b/x\n')
    expect(shown(diff)).toEqual(['file: a', 'hunk: @@ -1,2 +1,2 @@', '1--- a/x', '1+++ b/x', '2 @@ -1 +1 @@'])
  })

  it('keeps its count if secrets were taken out of the lines', () => {
    const diff = linesOf('--- a/a\n+++ b/a\n@@ -1 +1 @@\n-k=1\n+k=2\n')
    const rows = numberDiff(diff, [...diff.slice(0, 3), '[redacted]', '[redacted]'])
    expect(rows.slice(2)).toMatchObject([
      { is: 'removed', number: 1, text: '[redacted]' },
      { is: 'added', number: 1, text: '[redacted]' },
    ])
  })

  it('names a hunk by its lines', () => {
    expect(['@@ -1 +1 @@', '@@ -3,4 +5,6 @@', '@@ -7,2 +6,0 @@'].map(describeHunk)).toEqual([
      'line 1',
      'lines 5-10',
      'lines 7-8, removed',
    ])
  })
})
