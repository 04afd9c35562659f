import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyHunks, hunksBetween, unifiedDiff } from '../../../src/core/text/unified-diff.ts'
import { roundsOf } from '../../harness/long-run.ts'

const texts = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', 'e\n', '\n', 'x'), { maxLength: 60 })
  .map((parts) => parts.join(''))

/** Long texts with few changes, which have several hunks. */
const edited = fc
  .tuple(
    fc.integer({ min: 20, max: 80 }),
    fc.array(fc.tuple(fc.nat(79), fc.constantFrom('', 'n\n', 'n\nm\n', 'e')), { maxLength: 6 }),
  )
  .map(([count, edits]) => {
    const before = Array.from({ length: count }, (_, index) => `${index % 7}\n`)
    const after = [...before]
    for (const [at, text] of edits) if (at < count) after[at] = text
    return [before.join(''), after.join('')] as const
  })

const pairs = fc.oneof(fc.tuple(texts, texts), edited)

describe('hunks of a change', () => {
  it('all of them give the text after, and none of them the text before', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect(applyHunks(before, after, () => true)).toBe(after)
        expect(applyHunks(before, after, () => false)).toBe(before)
      }),
      { numRuns: roundsOf(300, 3000) },
    )
  })

  it('are as many as the diff has headers', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const headers = unifiedDiff({ path: 'f', before, after }).match(/^@@ /gm) ?? []
        expect(hunksBetween(before, after)).toHaveLength(headers.length)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('some of them give what patch makes of just these', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tongs-hunks-'))
    try {
      const choices = fc.array(fc.boolean(), { minLength: 10, maxLength: 10 })
      fc.assert(
        fc.property(pairs, choices, ([before, after], choice) => {
          const [header = '', ...hunks] = unifiedDiff({ path: 'f', before, after }).split(/^(?=@@ )/m)
          const isTaken = (hunk: number): boolean => choice[hunk % choice.length] === true
          const chosen = hunks.filter((_, hunk) => isTaken(hunk))
          fc.pre(chosen.length > 0)
          writeFileSync(join(folder, 'f'), before)
          execFileSync('patch', ['--binary', '-s', '-F0', '-o', 'made', 'f'], {
            cwd: folder,
            input: header + chosen.join(''),
            stdio: ['pipe', 'pipe', 'pipe'],
          })
          expect(applyHunks(before, after, isTaken)).toBe(readFileSync(join(folder, 'made'), 'utf8'))
        }),
        { numRuns: roundsOf(30, 150) },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
