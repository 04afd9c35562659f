import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from '../../../src/core/text/line-diff.ts'
import { unifiedDiff } from '../../../src/core/text/unified-diff.ts'
import { roundsOf } from '../../harness/long-run.ts'

const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`)

describe('the unified diff', () => {
  it('shows a changed line with three lines around it', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'
    expect(unifiedDiff({ path: 'f', before, after: before.replace('5', 'five') })).toBe(
      '--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    )
  })

  it('says when a file comes, goes, or ends without a newline', () => {
    expect(unifiedDiff({ path: 'f', before: null, after: 'a' })).toBe(
      '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n',
    )
    expect(unifiedDiff({ path: 'f', before: 'a\n', after: null })).toBe(
      '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
    )
    expect(unifiedDiff({ path: 'f', before: 'a', after: 'a' })).toBe('')
  })

  it('two files that share nothing are told apart without hanging', () => {
    expect(diffLines(lines('a'), lines('b')).map(({ is }) => is)).toEqual(['removed', 'added'])
  })

  it('following the runs turns one list into the other', () => {
    const lists = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const made: string[] = []
        let used = 0
        for (const { is, from, to } of diffLines(before, after)) {
          if (is !== 'removed') made.push(...after.slice(from, to))
          if (is !== 'added') used += to - from
          if (is === 'same') expect(before.slice(used - (to - from), used)).toEqual(after.slice(from, to))
        }
        expect(made).toEqual(after)
        expect(used).toBe(before.length)
      }),
      { numRuns: roundsOf(500, 5000) },
    )
  })

  it('what both share above and below a change only moves its line numbers', () => {
    const far = 297
    const near = ['top 1\n', 'top 2\n', 'top 3\n'].join('')
    const below = ['end 1\n', 'end 2\n', 'end 3\n'].join('')
    const many = 'somewhere else\n'.repeat(far)
    const move = (diff: string): string =>
      diff.replaceAll(
        /^@@ -(\d+)(\S*) \+(\d+)(\S*) @@$/gm,
        (_, a: string, countA: string, b: string, countB: string) =>
          `@@ -${Number(a) + far}${countA} +${Number(b) + far}${countB} @@`,
      )
    const texts = fc
      .array(fc.constantFrom('a\n', 'b\n', '\n', 'a longer line\r\n'), {
        maxLength: 12,
      })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const small = { path: 'f', before: near + one + below, after: near + other + below }
        const large = { path: 'f', before: many + small.before + many, after: many + small.after + many }
        expect(unifiedDiff(large)).toBe(move(unifiedDiff(small)))
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('git applies what it prints', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tongs-diff-'))
    try {
      const texts = fc
        .array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', 'e\n', 'x'), { minLength: 1, maxLength: 40 })
        .map((parts) => parts.join(''))
      fc.assert(
        fc.property(texts, texts, (before, after) => {
          fc.pre(before !== after)
          writeFileSync(join(folder, 'f'), before)
          execFileSync('git', ['apply', '--unidiff-zero', '-'], {
            cwd: folder,
            input: unifiedDiff({ path: 'f', before, after }),
            stdio: ['pipe', 'pipe', 'pipe'],
          })
          expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(after)
        }),
        { numRuns: roundsOf(20, 60) },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
