import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { judgeRequirements } from '../../scripts/requirement-check.ts'
import type { Evidence, OpenList, RanTest } from '../../scripts/requirement-check.ts'
import {
  closeRequirements,
  readEarlierOpenLists,
  readOpenList,
  readRequirements,
  readTests,
} from '../../scripts/requirement-files.ts'
import { readTitle } from '../../scripts/requirement-titles.ts'
import { TOP } from '../../scripts/run-tool.ts'

const REQUIREMENTS = [
  { id: 'RULE 1', part: 'ground', says: 'one' },
  { id: 'RULE 11', part: 'ground', says: 'eleven' },
  { id: 'SRD/§8.1', part: 'later', says: 'section' },
  { id: 'FR-OUT-04', part: 'later', says: 'cut' },
  { id: 'FR-OUT-04a', part: 'later', says: 'marker' },
  { id: 'R-MIG-1', part: 'exempt', says: 'move' },
]
const KNOWN = new Set(REQUIREMENTS.map(({ id }) => id))
const ALL_OPEN = { 'RULE 1': 'x', 'RULE 11': 'x', 'SRD/§8.1': 'x', 'FR-OUT-04': 'x', 'FR-OUT-04a': 'x' }

function ran(title: string, status = 'passed'): RanTest {
  return { title, status, file: 'a.test.ts' }
}

function without(...ids: readonly string[]): OpenList {
  return {
    resolvedParts: [],
    open: Object.fromEntries(Object.entries(ALL_OPEN).filter(([id]) => !ids.includes(id))),
  }
}

function judge(given: Partial<Evidence>): ReturnType<typeof judgeRequirements> {
  const nothing = { now: without(), earlier: [], tests: [], isStrict: false }
  return judgeRequirements({ requirements: REQUIREMENTS, ...nothing, ...given })
}

describe('ids in titles', () => {
  it.for([
    ['RULE 11: eleven', ['RULE 11']],
    ['RULE 1: one', ['RULE 1']],
    ['FR-OUT-04a, SRD/§8.1: both: at once', ['FR-OUT-04a', 'SRD/§8.1']],
    ['a plain sentence: with a colon', []],
    ['a plain sentence that speaks of RULE 1: no claim', []],
    ['no colon at all', []],
  ] as const)('reads title %#', ([title, ids]) => {
    expect(readTitle(title, KNOWN)).toEqual({ ids, faults: [] })
  })

  it.for([
    'RULE 12: misspelt',
    'FR-OUT-4a: misspelt',
    'SRD/§8.9: misspelt',
    'fr-out-04a: in small letters',
    'FR-OUT-04a : a blank too many',
    'FR-OUT-04a,RULE 1: no blank after the comma',
    'FR-OUT-04a, whatever: a stranger beside an id',
    'FR-OUT-04a has no colon',
    'RULE 1 has no colon',
  ])('complains about title %#', (title) => {
    expect(readTitle(title, KNOWN).faults).toHaveLength(1)
  })
})

describe('what the tests prove', () => {
  it('a passing test closes its ids and no others', () => {
    const { proven, faults } = judge({
      tests: [ran('RULE 11, FR-OUT-04a: x')],
      now: without('RULE 11', 'FR-OUT-04a'),
    })
    expect([...proven]).toEqual(['RULE 11', 'FR-OUT-04a'])
    expect(faults).toEqual([])
  })

  it('an id with neither a test nor a place on the open list is a fault', () => {
    expect(judge({ tests: [ran('RULE 11: x')], now: without('RULE 11', 'RULE 1') }).faults).toEqual([
      'RULE 1 (ground: one) is not proven: no passing test names it',
    ])
  })

  it.for(['skipped', 'pending', 'todo'])('a test that is %s proves nothing', (status) => {
    expect(judge({ tests: [ran('RULE 1: x', status)], now: without('RULE 1') }).faults).toHaveLength(1)
  })

  it('one failing test takes the proof from a passing one', () => {
    const { proven, faults } = judge({
      tests: [ran('RULE 1: x'), ran('RULE 1: y', 'failed')],
      now: without('RULE 1'),
    })
    expect(proven.size).toBe(0)
    expect(faults).toEqual(['RULE 1 (ground: one) is not proven: a test that names it fails'])
  })

  it('a skipped test is a fault where nothing may be skipped', () => {
    const tests = [ran('anything', 'skipped')]
    expect(judge({ tests }).faults).toEqual([])
    expect(judge({ tests, isStrict: true }).faults).toHaveLength(1)
  })

  it('a misspelt id is a fault even if its test fails', () => {
    expect(judge({ tests: [ran('RULE 12: x', 'failed')] }).faults).toHaveLength(1)
  })
})

describe('the open list', () => {
  it('names what is proven and still open', () => {
    const { closable, faults } = judge({ tests: [ran('RULE 1: x')] })
    expect(closable).toEqual(['RULE 1'])
    expect(faults).toEqual(['proven but still open, closed by npm run requirements -- --update: RULE 1'])
  })

  it('may shrink but not grow, compared with any earlier version', () => {
    const tests = [ran('RULE 1: x')]
    expect(judge({ tests, now: without('RULE 1'), earlier: [without()] }).faults).toEqual([])
    expect(judge({ earlier: [without(), without('RULE 1'), without()] }).faults).toEqual([
      'RULE 1 was added to the open list, which may only shrink',
    ])
  })

  it('has nothing of a resolved part, and a part stays resolved', () => {
    const resolved = { ...without('RULE 1', 'RULE 11'), resolvedParts: ['ground'] }
    const tests = [ran('RULE 1: x'), ran('RULE 11: x')]
    expect(judge({ tests, now: resolved }).faults).toEqual([])
    expect(judge({ now: { ...without(), resolvedParts: ['ground'] } }).faults).toHaveLength(2)
    expect(judge({ tests, now: without('RULE 1', 'RULE 11'), earlier: [resolved] }).faults).toHaveLength(1)
  })

  it.for([
    [{ 'RULE 12': 'x' }, []],
    [{ 'R-MIG-1': 'x' }, []],
    [{ 'RULE 1': ' ' }, []],
    [{}, ['grund']],
  ] as const)('refuses %j with resolved parts %j', ([more, resolvedParts]) => {
    expect(judge({ now: { resolvedParts, open: { ...ALL_OPEN, ...more } } }).faults).toHaveLength(1)
  })
})

describe('on disk', () => {
  let top = ''
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: top,
      encoding: 'utf8',
    })
  const writeOpen = (list: OpenList): void =>
    writeFileSync(join(top, 'data/open-requirements.json'), JSON.stringify(list))

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'tongs-requirements-'))
    mkdirSync(join(top, 'data'))
    writeOpen(without())
  })
  afterEach(() => rmSync(top, { recursive: true, force: true }))

  it('knows no earlier list where there is no repository', () => {
    expect(readEarlierOpenLists(top)).toEqual([])
  })

  it('finds an id that was taken off two commits ago and put back', () => {
    git('init', '-q')
    for (const list of [without(), without('RULE 1'), without()]) {
      writeOpen(list)
      git('add', '-A')
      git('commit', '-qm', 'x')
    }
    expect(judge({ earlier: readEarlierOpenLists(top) }).faults).toHaveLength(1)
  })

  it('closes ids and leaves the rest with its reasons', () => {
    closeRequirements(top, ['RULE 1'])
    expect(readOpenList(top)).toEqual(without('RULE 1'))
  })

  it("takes a test's own title from the report, not those around it", () => {
    const report = join(top, 'report.json')
    const assertionResults = [{ ancestorTitles: ['RULE 1: around'], title: 'inside', status: 'passed' }]
    writeFileSync(
      report,
      JSON.stringify({ testResults: [{ name: join(top, 'a.test.ts'), assertionResults }] }),
    )
    expect(readTests(top, report)).toEqual([{ title: 'inside', status: 'passed', file: 'a.test.ts' }])
  })

  it('the list of this project has each id once, with a part and a sentence', () => {
    const requirements = readRequirements(TOP)
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length)
    expect(
      requirements.filter(({ part, says }) => !/^[a-z]+$/.test(part) || !/^[A-Z].+\.$/u.test(says)),
    ).toEqual([])
  })
})
