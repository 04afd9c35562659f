import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { mergeLines } from '../../../src/core/text/merge-lines.ts'
import { splitLines } from '../../../src/core/text/split-lines.ts'
import { roundsOf } from '../../harness/long-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tongs-merge-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What git makes of it: the text, or null for a conflict. */
function askGit(base: string, ours: string, theirs: string): string | null {
  const names = { ours, base, theirs }
  for (const [name, text] of Object.entries(names)) writeFileSync(join(folder, name), text)
  try {
    return execFileSync('git', ['merge-file', '-p', '-q', 'ours', 'base', 'theirs'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (thrown) {
    const { status } = thrown as { readonly status: number | null }
    // The exit code is the number of conflicts.
    if (status !== null && status > 0 && status < 128) return null
    throw thrown
  }
}

function merge(base: string, ours: string, theirs: string): string | null {
  const merged = mergeLines(splitLines(base), splitLines(ours), splitLines(theirs))
  return merged.ok ? merged.lines.join('') : null
}

/** One edit of a text: where, how many lines it replaces, and by how many. */
const edit = fc.record({
  at: fc.nat(1_000),
  removed: fc.nat(3),
  added: fc.nat(3),
})

/** Applies edits from the end on, so that places stay what they are; each added line is new. */
function apply(
  base: readonly string[],
  edits: readonly { at: number; removed: number; added: number }[],
  by: string,
) {
  const lines = [...base]
  const placed = edits
    .map((one) => ({ ...one, at: one.at % (base.length + 1) }))
    .toSorted((one, other) => other.at - one.at)
  for (const [index, { at, removed, added }] of placed.entries())
    lines.splice(at, removed, ...Array.from({ length: added }, (_, n) => `${by}${index}.${n}`))
  return lines
}

const endings = fc.constantFrom('\n', '\r\n')
const joined = (lines: readonly string[], eol: string, hasEnd: boolean): string =>
  lines.map((line, index) => line + (index < lines.length - 1 || hasEnd ? eol : '')).join('')

describe('a merge of lines', () => {
  it('of edits to lines that differ is what git makes of it, conflicts included', () => {
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.array(edit, { maxLength: 4 }),
        fc.array(edit, { maxLength: 4 }),
        endings,
        fc.boolean(),
        (count, one, other, eol, hasEnd) => {
          const lines = Array.from({ length: count }, (_, index) => `line ${index}`)
          const base = joined(lines, eol, hasEnd)
          const ours = joined(apply(lines, one, 'ours'), eol, hasEnd)
          const theirs = joined(apply(lines, other, 'theirs'), eol, hasEnd)
          expect(merge(base, ours, theirs)).toBe(askGit(base, ours, theirs))
        },
      ),
      { numRuns: roundsOf(30, 150) },
    )
  })

  it('where both sides made some of the same edits, is what git makes of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(edit, { maxLength: 3 }),
        fc.array(edit, { maxLength: 2 }),
        fc.array(edit, { maxLength: 2 }),
        (count, shared, one, other) => {
          const lines = Array.from({ length: count }, (_, index) => `line ${index}`)
          const start = apply(lines, shared, 'both')
          const texts = [lines, apply(start, one, 'ours'), apply(start, other, 'theirs')]
          const [base = '', ours = '', theirs = ''] = texts.map((text) => joined(text, '\n', true))
          expect(merge(base, ours, theirs)).toBe(askGit(base, ours, theirs))
        },
      ),
      { numRuns: roundsOf(30, 150) },
    )
  })

  it('of lines that repeat never differs from what git merges without a conflict', () => {
    const words = fc.array(fc.constantFrom('a', 'b', '}', ''), { maxLength: 12 })
    fc.assert(
      fc.property(
        words,
        fc.array(edit, { maxLength: 3 }),
        fc.array(edit, { maxLength: 3 }),
        (lines, one, other) => {
          const repeat = (text: readonly string[]): readonly string[] =>
            text.map((line) => (line.startsWith('new') ? 'a' : line))
          const base = joined(lines, '\n', true)
          const ours = joined(repeat(apply(lines, one, 'new')), '\n', true)
          const theirs = joined(apply(lines, other, 'theirs'), '\n', true)
          const [own, git] = [merge(base, ours, theirs), askGit(base, ours, theirs)]
          if (own !== null && git !== null) expect(own).toBe(git)
        },
      ),
      { numRuns: roundsOf(40, 200) },
    )
  })

  it('sees lines that went from among equal ones where git sees it', () => {
    const [base, ours, theirs] = ['a a b b b a a', 'a a b b a a', 'a b b a new a'].map((words) =>
      joined(words.split(' '), '\n', true),
    )
    if (base === undefined || ours === undefined || theirs === undefined) throw new Error('no text')
    expect(merge(base, ours, theirs)).toBe('a\nb\na\nnew\na\n')
    expect(askGit(base, ours, theirs)).toBe('a\nb\na\nnew\na\n')
  })

  it('has the laws of a merge: an unchanged side gives the other, equal sides give either, and sides may be swapped', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 10 })
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        expect(mergeLines(base, ours, base)).toEqual({ ok: true, lines: ours })
        expect(mergeLines(base, base, theirs)).toEqual({ ok: true, lines: theirs })
        expect(mergeLines(base, ours, ours)).toEqual({ ok: true, lines: ours })
        const [one, swapped] = [mergeLines(base, ours, theirs), mergeLines(base, theirs, ours)]
        expect(one.ok).toBe(swapped.ok)
        if (one.ok && swapped.ok) expect(one.lines).toEqual(swapped.lines)
      }),
      { numRuns: roundsOf(200, 2_000) },
    )
  })

  it.for([
    ['a missing final newline is kept', 'a\nb\nc', 'A\nb\nc', 'a\nb\nc', 'A\nb\nc'],
    ['a final newline that one side added stays', 'a\nb\nc', 'a\nb\nc\n', 'A\nb\nc', 'A\nb\nc\n'],
    ['CRLF stays CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n', 'A\r\nb\r\nc\r\n', 'A\r\nb\r\nC\r\n'],
    ['neighbouring lines are a conflict', 'a\nb\n', 'A\nb\n', 'a\nB\n', null],
    ['two insertions at one place are a conflict', 'a\nb\n', 'a\nx\nb\n', 'a\ny\nb\n', null],
    ['the same insertion is made once', 'a\nb\n', 'a\nx\nb\n', 'a\nx\nb\n', 'a\nx\nb\n'],
  ] as const)('%s', ([, base, ours, theirs, expected]) => {
    expect(merge(base, ours, theirs)).toBe(expected)
    expect(askGit(base, ours, theirs)).toBe(expected)
  })
})
