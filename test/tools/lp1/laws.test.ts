import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySection } from '../../../src/tools/lp1/apply.ts'
import type { PlainOp } from './reference.ts'
import { referenceApply, startsOf } from './reference.ts'
import { blockOf, fileOf, patchOf, resultOf, runOps, textOf } from './run-patch.ts'
import { roundsOf } from '../../harness/long-run.ts'

/** Few lines, so that they repeat; each one is awkward in its own way. */
const line = fc.constantFrom('', 'a', '.', '..b', ' .', '# ü😀', 'END')
const lines = (maxLength: number, minLength = 0): fc.Arbitrary<string[]> =>
  fc.array(line, { minLength, maxLength })
const ending = fc.constantFrom('\n', '\r\n')
const rows = fc.array(fc.tuple(line, ending), { maxLength: 8 })
const lfFile = fc
  .tuple(lines(10), fc.boolean())
  .map(([texts, newline]) => texts.join('\n') + (newline && texts.length > 0 ? '\n' : ''))

const plainOp: fc.Arbitrary<PlainOp> = fc.record({
  letter: fc.constantFrom('R', 'I', 'P', 'E', 'T', 'B', 'N+', 'N-'),
  occurrence: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
  find: fc.oneof({ weight: 9, arbitrary: lines(2, 1) }, { weight: 1, arbitrary: fc.constant<string[]>([]) }),
  fresh: lines(3),
})

function joinRows(given: readonly (readonly [string, string])[]): string {
  return given.map(([text, end]) => text + end).join('')
}

function linesOf(op: PlainOp): string[] {
  if (op.letter === 'N+' || op.letter === 'N-') return [op.letter]
  if (op.letter === 'T' || op.letter === 'B') return [op.letter, ...blockOf(op.fresh)]
  const head = op.occurrence === null ? op.letter : `${op.letter} ${op.occurrence}`
  return [head, ...blockOf(op.find), ...(op.letter === 'E' ? [] : blockOf(op.fresh))]
}

const run = (before: string | null, ops: readonly PlainOp[]): string | null =>
  resultOf(runOps(before, ops.flatMap(linesOf)))

describe('against a naive reading of the same operations', () => {
  it('small files come out the same, errors included', () => {
    const before = fc.option(lfFile, { freq: 8 })
    fc.assert(
      fc.property(before, fc.array(plainOp, { maxLength: 5 }), (text, ops) => {
        expect(run(text, ops)).toBe(referenceApply(text, ops))
      }),
      { numRuns: roundsOf(1000, 10_000) },
    )
  })

  it('every letter succeeds often enough to be compared', () => {
    const counts = new Map<string, number>()
    fc.assert(
      fc.property(lfFile, plainOp, (text, op) => {
        if (run(text, [op])?.startsWith('! ') === false)
          counts.set(op.letter, (counts.get(op.letter) ?? 0) + 1)
      }),
      { numRuns: 3000, seed: 7 },
    )
    for (const letter of ['R', 'I', 'P', 'E', 'T', 'B', 'N+', 'N-']) {
      expect(counts.get(letter) ?? 0).toBeGreaterThan(30)
    }
  })

  it('files of thousands of lines come out the same over many operations', () => {
    const where = fc.record({
      letter: fc.constantFrom('R', 'I', 'P', 'E') as fc.Arbitrary<PlainOp['letter']>,
      at: fc.nat(),
      length: fc.constantFrom(1, 2, 3, 300, 700),
      fresh: fc.constantFrom(0, 1, 2, 400, 1500),
    })
    const steps = fc.array(where, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.nat(4), steps, (seed, given) => {
        const before = Array.from({ length: 1500 }, (_, index) =>
          (index * 7 + seed) % 5 < 3 ? 'same' : `l${index}`,
        )
        let now = before
        const ops: PlainOp[] = []
        for (const [index, step] of given.entries()) {
          const at = step.at % now.length
          const find = now.slice(at, at + step.length)
          const occurrence = startsOf(now, find).indexOf(at) + 1
          const fresh = Array.from({ length: step.fresh }, (_, each) =>
            each % 3 === 0 ? 'same' : `n${index}.${each}`,
          )
          ops.push({ letter: step.letter, occurrence, find, fresh })
          now = (referenceApply(before.join('\n'), ops) ?? '').split('\n')
          if (now.length === 1) break
        }
        expect(run(before.join('\n'), ops) === now.join('\n')).toBe(true)
      }),
      { numRuns: roundsOf(30, 150) },
    )
  })
})

describe('a patch made from two versions of a file', () => {
  it('turns the one into exactly the other', () => {
    fc.assert(
      fc.property(lfFile, lfFile, (before, after) => {
        expect(run(before, diffOps(before, after))).toBe(after)
      }),
      { numRuns: roundsOf(300, 3000) },
    )
  })

  it('creates exactly the file that was not there', () => {
    fc.assert(
      fc.property(lfFile, (after) => {
        expect(run(null, diffOps('', after))).toBe(after === '' ? null : after)
      }),
    )
  })
})

describe('lines that no operation touched', () => {
  it('keep their bytes around every kind of edit', () => {
    const letter = fc.constantFrom('R', 'I', 'P', 'E')
    fc.assert(
      fc.property(fc.boolean(), rows, rows, ending, letter, lines(3), (bom, above, below, end, op, fresh) => {
        const head = (bom ? '\uFEFF' : '') + joinRows(above)
        const before = `${head}here${end}${joinRows(below)}`
        const crlf = before.split('\r\n').length - 1
        const majority = crlf > before.split('\n').length - 1 - crlf ? '\r\n' : '\n'
        const added = fresh.map((text) => text + majority).join('')
        const here = `here${end}`
        const middle = { R: added, I: here + added, P: added + here, E: '' }[op] ?? ''
        const blocks = [...blockOf(['here']), ...(op === 'E' ? [] : blockOf(fresh))]
        expect(resultOf(runOps(before, [op, ...blocks]))).toBe(head + middle + joinRows(below))
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('keep their bytes when lines are added at the edges', () => {
    fc.assert(
      fc.property(rows, lines(3), fc.boolean(), (given, fresh, atEnd) => {
        const before = joinRows([...given, ['last', '\r\n']])
        const after = resultOf(runOps(before, [atEnd ? 'T' : 'B', ...blockOf(fresh)])) ?? ''
        expect(atEnd ? after.startsWith(before) : after.endsWith(before)).toBe(true)
      }),
      { numRuns: roundsOf(100, 1000) },
    )
  })
})

describe('applying', () => {
  const mixedFile = fc
    .tuple(fc.boolean(), rows, line)
    .map(([bom, given, last]) => (bom ? '\uFEFF' : '') + joinRows(given) + last)
  const someOps = fc.array(plainOp, { maxLength: 4 })

  it('gives the same result each time, leaves its input alone, and gives what its bytes read back as', () => {
    fc.assert(
      fc.property(mixedFile, someOps, fc.boolean(), (before, ops, strictEol) => {
        const patch = patchOf(['LP1', 'F f', ...ops.flatMap(linesOf), 'END'].join('\n'))
        const file = fileOf(before)
        const sectionOps = patch.sections[0]?.ops ?? []
        const result = applySection(sectionOps, file, { strictEol })
        expect(applySection(sectionOps, file, { strictEol })).toEqual(result)
        expect(file).toEqual(fileOf(before))
        if (!result.ok || result.file === null) return
        expect(fileOf(textOf(result.file))).toEqual(result.file)
        expect(result.changed).toBe(textOf(result.file) !== before)
      }),
      { numRuns: roundsOf(300, 3000) },
    )
  })
})

/** Operations, from the bottom up, that rewrite one text into the other. */
function diffOps(before: string, after: string): PlainOp[] {
  const goal = splitLf(after)
  let now = splitLf(before)
  const ops: PlainOp[] = []
  const add = (letter: PlainOp['letter'], at: number, find: string[], fresh: string[]): void => {
    const occurrence = find.length === 0 ? null : startsOf(now, find).indexOf(at) + 1
    ops.push({ letter, occurrence, find, fresh })
  }
  for (const hunk of hunksOf(now, goal).toReversed()) {
    const gone = now.slice(hunk.from, hunk.to)
    const fresh = goal.slice(hunk.goalFrom, hunk.goalTo)
    if (gone.length > 0) add(fresh.length > 0 ? 'R' : 'E', hunk.from, gone, fresh)
    else if (hunk.from === now.length) add('T', 0, [], fresh)
    else if (hunk.from === 0) add('B', 0, [], fresh)
    else if (hunk.from % 2 === 0) add('P', hunk.from, now.slice(hunk.from, hunk.from + 1), fresh)
    else add('I', hunk.from - 1, now.slice(hunk.from - 1, hunk.from), fresh)
    now = [...now.slice(0, hunk.from), ...fresh, ...now.slice(hunk.to)]
  }
  if (goal.length > 0)
    ops.push({ letter: after.endsWith('\n') ? 'N+' : 'N-', occurrence: null, find: [], fresh: [] })
  return ops
}

function splitLf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/u, '').split('\n')
}

type Hunk = { from: number; to: number; goalFrom: number; goalTo: number }

/** The stretches that differ, between lines that are taken, greedily, to be common. */
function hunksOf(now: readonly string[], goal: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let [from, goalFrom] = [0, 0]
  const close = (to: number, goalTo: number): void => {
    if (to > from || goalTo > goalFrom) hunks.push({ from, to, goalFrom, goalTo })
    from = to + 1
    goalFrom = goalTo + 1
  }
  for (const [index, text] of now.entries()) {
    const at = goal.indexOf(text, goalFrom)
    if (at >= 0 && at - goalFrom <= 2) close(index, at)
  }
  close(now.length, goal.length)
  return hunks
}
