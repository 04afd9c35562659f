import { describe, expect, it } from 'vitest'
import { findListFaults, plantIn, readMutations, sourceReader } from '../../scripts/mutation-list.ts'
import type { Mutation } from '../../scripts/mutation-list.ts'
import { findCoverageFaults, readReasons } from '../../scripts/mutation-reasons.ts'
import type { Coverage } from '../../scripts/mutation-reasons.ts'
import { judgeRun } from '../../scripts/mutation-verdict.ts'
import { readRequirements } from '../../scripts/requirement-files.ts'
import { TOP } from '../../scripts/run-tool.ts'
import { findCarriers } from '../../scripts/title-carriers.ts'

const requirements = readRequirements(TOP)
const known = new Set(requirements.map(({ id }) => id))
const carriers = findCarriers(TOP, known)

describe('the list of mutations', () => {
  it('has rows that can be planted, each for an id that a test carries', () => {
    expect(findListFaults(readMutations(TOP), { known, carriers, readSource: sourceReader(TOP) })).toEqual([])
  })

  it('has rows for every part of the product', () => {
    const partOf = new Map(requirements.map(({ id, part }) => [id, part]))
    const parts = new Set(readMutations(TOP).map(({ id }) => partOf.get(id)))
    const wanted = new Set(requirements.map(({ part }) => part).filter((part) => part !== 'exempt'))
    expect(wanted.difference(parts)).toEqual(new Set())
  })

  it('has a row for every requirement, or a reason why there is none', () => {
    const planted = new Set(readMutations(TOP).map(({ id }) => id))
    expect(findCoverageFaults({ known, planted, reasons: readReasons(TOP) })).toEqual([])
  })
})

describe('what each requirement has', () => {
  const sound: Coverage = {
    known: new Set(['A-1', 'A-2']),
    planted: new Set(['A-1', 'a.test.ts: counts']),
    reasons: { 'A-2': 'It is about words.' },
  }

  it('is one of two', () => {
    expect(findCoverageFaults(sound)).toEqual([])
  })

  it.for<readonly [Partial<Coverage>, RegExp]>([
    [{ reasons: {} }, /A-2 has neither/],
    [{ planted: new Set(['A-1', 'A-2']) }, /A-2 has a row and a reason/],
    [{ planted: new Set() }, /A-1 has neither/],
    [{ reasons: { ...sound.reasons, 'A-4': 'It is.' } }, /A-4, which is not a requirement/],
    [{ reasons: { 'A-2': 'because' } }, /not a sentence/],
  ])('%j is found', ([more, message]) => {
    expect(findCoverageFaults({ ...sound, ...more })).toEqual([expect.stringMatching(message)])
  })
})

const ROW: Mutation = { id: 'A-1', file: 'a.ts', text: 'a < b', replacement: 'a <= b' }
const CONTROL: Mutation = { ...ROW, replacement: 'b > a', isControl: true }
const SOURCE = 'export const f = (a: number, b: number): boolean => a < b\n'

function faultsOf(rows: readonly Mutation[]): readonly string[] {
  return findListFaults(rows, {
    known: new Set(['A-1', 'A-2']),
    carriers: new Map([['A-1', ['a.test.ts']]]),
    readSource: (file) => (file === 'a.ts' ? SOURCE : file === 'b.test.ts' ? "it('counts')" : null),
  })
}

describe('what makes a row unfit', () => {
  it('nothing, if its text is there once and a test names its id', () => {
    expect(faultsOf([CONTROL, ROW, { ...ROW, id: 'b.test.ts: counts' }])).toEqual([])
  })

  it.for([
    [{ file: 'b.ts' }, /no such file/],
    [{ text: 'a > b' }, /text not found/],
    [{ text: 'b' }, /occurs \d times/],
    [{ text: '' }, /empty/],
    [{ replacement: 'a < b' }, /same text/],
    [{ replacement: 'a <' }, /does not parse/],
    [{ id: 'A-3' }, /not a requirement/],
    [{ id: 'A-2' }, /no test names A-2/],
    [{ id: 'b.test.ts: adds' }, /b\.test\.ts has no such test/],
    [{ id: 'c.test.ts: counts' }, /c\.test\.ts has no such test/],
  ] as const)('%j', ([more, message]) => {
    expect(faultsOf([CONTROL, { ...ROW, ...more }])).toEqual([expect.stringMatching(message)])
  })

  it('a twin, and a list without its one control', () => {
    expect(faultsOf([CONTROL, ROW, ROW])).toEqual([expect.stringMatching(/listed twice/)])
    expect(faultsOf([ROW])).toEqual([expect.stringMatching(/0 control rows/)])
  })
})

describe('planting', () => {
  it('changes the one place and nothing else, also where the replacement looks like a pattern', () => {
    expect(plantIn(SOURCE, ROW)).toEqual({ ok: true, source: SOURCE.replace('<', '<=') })
    const planted = plantIn(SOURCE, { ...ROW, replacement: 'a < Number("$&")' })
    expect(planted).toMatchObject({ ok: true, source: expect.stringContaining('a < Number("$&")') as string })
  })
})

describe('what a run says about a row', () => {
  const ids = new Set(['A-1', 'A-12'])
  const ran = (title: string, status: string) => ({ title, status, file: 'a.test.ts' })
  const judge = (tests: Parameters<typeof judgeRun>[0]['tests'], unloaded: readonly string[] = []) =>
    judgeRun({ tests, unloaded }, 'A-1', ids)

  it('only a failed test with the very id in its title kills', () => {
    expect(judge([ran('A-1: x', 'passed'), ran('A-12, A-1: y', 'failed')])).toEqual({
      kind: 'killed',
      by: 'A-12, A-1: y',
    })
    expect(judge([ran('A-1: x', 'passed'), ran('A-12: y', 'failed')])).toEqual({ kind: 'survived' })
    expect(judge([ran('A-1: x', 'passed'), ran('speaks of A-1: y', 'failed')])).toEqual({ kind: 'survived' })
  })

  it('tests that a row names itself kill it, and others of their file do not', () => {
    const judgeNamed = (title: string, file = 'a.test.ts') =>
      judgeRun(
        { tests: [ran('it counts well', 'passed'), { title, file, status: 'failed' }], unloaded: [] },
        'a.test.ts: counts',
        ids,
      ).kind
    expect(judgeNamed('it counts badly')).toBe('killed')
    expect(judgeNamed('it adds')).toBe('survived')
    expect(judgeNamed('it counts badly', 'b.test.ts')).toBe('survived')
  })

  it.for([
    ['a run without a report', null, []],
    ['a file that does not load', [ran('A-1: x', 'passed')], ['b.test.ts']],
    ['tests that were all skipped', [ran('A-1: x', 'skipped')], []],
    ['no test of the id', [ran('A-12: x', 'passed')], []],
  ] as const)('%s is a broken row and no kill', ([, tests, unloaded]) => {
    expect(judge(tests, unloaded).kind).toBe('broken')
  })
})

describe('which test files carry an id', () => {
  it('those with it in a title, and those that take such titles from a helper', () => {
    expect(carriers.get('FR-WR-01')).toEqual(['test/tools/edits/write-file.test.ts'])
    const fromHelper = carriers.get('FR-VAL-06') ?? []
    expect(fromHelper.length).toBeGreaterThan(0)
    expect(fromHelper.every((file) => file.endsWith('.test.ts'))).toBe(true)
  })

  it('there is one for each requirement that wants a test', () => {
    const without = requirements.filter(({ id, part }) => part !== 'exempt' && !carriers.has(id))
    expect(without).toEqual([])
  })
})
