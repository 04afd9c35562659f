import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listParts } from '../../scripts/laboratory/parts.ts'
import type { Part } from '../../scripts/laboratory/parts.ts'
import { FAMILIES } from '../../scripts/laboratory/attack-families.ts'
import { renderFamilies, replacePart } from '../../scripts/laboratory/publish.ts'
import { noteCompletions, renderTable } from '../../scripts/laboratory/record.ts'
import type { Tried } from '../../scripts/laboratory/record.ts'
import { chooseNext } from '../../scripts/laboratory/run.ts'
import { endAfter, TIME_IS_OVER, TOP } from '../../scripts/run-tool.ts'

const part = (name: string, share: number, units: number): Part => ({
  name,
  unit: `a ${name}`,
  share,
  units,
  files: [],
  env: () => ({}),
  rooms: 'all',
})
const tried = (name: string, unit: number, seconds: number, isGood = true): Tried => ({
  part: name,
  unit,
  sources: 's',
  seconds,
  tests: 2,
  values: 100,
  isGood,
})
const [slow, quick] = [part('slow', 50, 3), part('quick', 50, 2)]

describe('the laboratory', () => {
  it('has parts whose files exist, and whose shares are a hundred together', () => {
    const parts = listParts()
    const missing = parts.flatMap(({ files }) => files.filter((file) => !existsSync(join(TOP, file))))
    expect(missing).toEqual([])
    expect(parts.filter(({ files }) => files.length === 0)).toEqual([])
    expect(parts.reduce((sum, { share }) => sum + share, 0)).toBe(100)
  })

  it('gives each part its share of the time, and goes on after what was tried before', () => {
    expect(chooseNext([slow, quick], [], [])).toEqual([slow, 0])
    expect(chooseNext([slow, quick], [], [tried('slow', 0, 60)])).toEqual([quick, 0])
    expect(chooseNext([slow, quick], [], [tried('slow', 0, 60), tried('quick', 0, 10)])).toEqual([quick, 1])
    const done = [tried('quick', 0, 1), tried('quick', 1, 1), tried('slow', 0, 60)]
    expect(chooseNext([slow, quick], done, [])).toEqual([slow, 1])
    expect(chooseNext([quick], done, [])).toBeNull()
  })

  it('tells what was covered, and does not take a failure for covered', () => {
    const table = renderTable([slow], [tried('slow', 0, 60), tried('slow', 1, 60, false)])
    expect(table).toContain('| slow | 1 of 3 | 1 | 4 | 200 | 2 | not yet | a slow |')
  })

  it('remembers when a part was last complete, also after its sources have changed', () => {
    const now = { day: '2030-01-02', commit: 'abc' }
    const all = [0, 1].map((unit) => tried('quick', unit, 60))
    expect(noteCompletions({}, [quick], all.slice(1), now)).toEqual({})
    expect(noteCompletions({}, [quick], [...all, tried('quick', 1, 60, false)], now)).toEqual({})
    const known = noteCompletions({}, [slow, quick], all, now)
    expect(known).toEqual({ quick: { ...now, units: 2, tests: 4, values: 200, minutes: 2 } })
    expect(noteCompletions(known, [slow, quick], [], { day: '2031-01-01', commit: 'def' })).toEqual(known)
    expect(renderTable([quick], [], known)).toContain('| 2030-01-02, `abc`, 2 units, 2 minutes |')
  })

  it('ends what is still at work when its time is over', () => {
    const endless = endAfter(1000, [process.execPath, '-e', 'setInterval(() => undefined, 1000)'])
    const [program = '', ...words] = endless
    expect(spawnSync(program, words).status).toBe(TIME_IS_OVER)
    expect(endAfter(Number.POSITIVE_INFINITY, ['a', 'b'])).toEqual(['a', 'b'])
  })
})

describe('the pages that the laboratory prints', () => {
  it('have families whose tests exist, each in one family alone', () => {
    const files = FAMILIES.flatMap((family) => family.files)
    expect(files.filter((file) => !existsSync(join(TOP, file)))).toEqual([])
    expect(new Set(files).size).toBe(files.length)
  })

  it('count the tests of a family, its controls, and the users that it runs as', () => {
    const files = ['test/a.test.ts', 'test/b.test.ts']
    const tests = [
      { name: 'F > shows control characters', file: '/x/test/a.test.ts' },
      { name: 'F > control: leaks', file: '/x/test/b.test.ts' },
      { name: 'of another family', file: '/x/test/c.test.ts' },
    ]
    const read = (file: string): string => (file === 'test/b.test.ts' ? "as('ordinary')" : '')
    const table = renderFamilies([{ name: 'F', tried: 'much', files }], tests, read)
    expect(table).toContain('2 tests, 1 of them controls.')
    expect(table).toContain('| F | much | 2 | 1 | both | [1](../test/a.test.ts) [2](../test/b.test.ts) |')
  })

  it('are changed between their marks alone, and not without marks', () => {
    const page = 'before\n<!-- x: printed -->\nold\n<!-- x: end -->\nafter\n'
    const changed = replacePart(page, 'x', 'new')
    expect(changed).toBe('before\n<!-- x: printed -->\n\nnew\n\n<!-- x: end -->\nafter\n')
    expect(replacePart(changed, 'x', 'new')).toBe(changed)
    expect(() => replacePart(page, 'y', 'new')).toThrow('no part y')
  })
})
