import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listParts } from '../../scripts/laboratory/parts.ts'
import type { Part } from '../../scripts/laboratory/parts.ts'
import { chooseNext } from '../../scripts/laboratory/choose-next.ts'
import { FAMILIES } from '../../scripts/laboratory/attack-families.ts'
import { renderFamilies, replacePart } from '../../scripts/laboratory/publish.ts'
import { addLaws, newest } from '../../scripts/laboratory/record.ts'
import type { Tried } from '../../scripts/laboratory/record.ts'
import { describeLaws, renderTable } from '../../scripts/laboratory/tables.ts'
import { endAfter, TIME_IS_OVER, TOP } from '../../scripts/run-tool.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { makeScratch } from '../harness/scratch.ts'

const part = (name: string, share: number, units: number): Part => ({
  name,
  unit: `a ${name}`,
  share,
  units,
  files: [],
  env: () => ({}),
  rooms: 'all',
})
const tried = (name: string, unit: number, seconds: number, isGood = true, sources = 's'): Tried => ({
  part: name,
  unit,
  sources,
  day: '2030-01-02',
  seconds,
  tests: 2,
  values: 100,
  isGood,
})
const [slow, quick] = [part('slow', 50, 3), part('quick', 50, 2)]
const present = (): string => 's'

describe('the laboratory', () => {
  it('has parts whose files exist, and whose shares are a hundred together', () => {
    const parts = listParts()
    const missing = parts.flatMap(({ files }) => files.filter((file) => !existsSync(join(TOP, file))))
    expect(missing).toEqual([])
    expect(parts.filter(({ files }) => files.length === 0)).toEqual([])
    expect(parts.reduce((sum, { share }) => sum + share, 0)).toBe(100)
  })

  it('tries every file of a part in some unit, and no unit without files', () => {
    for (const { files, filesOf, units } of listParts()) {
      if (filesOf === undefined) continue
      const each = Array.from({ length: units }, (_, unit) => filesOf(unit))
      expect(each.filter((some) => some.length === 0)).toEqual([])
      expect(each.flat().toSorted()).toEqual([...files])
    }
  })

  it('gives each part its share of the time, and goes on after what was tried before', () => {
    const next = (parts: readonly Part[], before: readonly Tried[], now: readonly Tried[] = []) =>
      chooseNext(parts, { before, now, begun: [] }, present)
    expect(next([slow, quick], [])).toEqual([slow, 0])
    expect(next([slow, quick], [], [tried('slow', 0, 60)])).toEqual([quick, 0])
    expect(next([slow, quick], [], [tried('slow', 0, 60), tried('quick', 0, 10)])).toEqual([quick, 1])
    const done = [tried('quick', 0, 1), tried('quick', 1, 1), tried('slow', 0, 60)]
    expect(next([slow, quick], done)).toEqual([slow, 1])
    expect(next([quick], done)).toBeNull()
  })

  it('tries other units beside those that are being tried, and of other parts first', () => {
    const begun = [{ part: slow, unit: 0, since: Date.now() }]
    const next = (busy: readonly (typeof begun)[number][]) =>
      chooseNext([slow, quick], { before: [], now: [], begun: busy }, present)
    expect(next(begun)).toEqual([quick, 0])
    const both = [...begun, { part: quick, unit: 0, since: Date.now() - 60_000 }]
    expect(next(both)).toEqual([slow, 1])
    const last = [0, 1].map((unit) => ({ part: quick, unit, since: Date.now() }))
    expect(chooseNext([quick], { before: [], now: [], begun: last }, present)).toBeNull()
  })

  it('tries what has never succeeded before what succeeded on other sources', () => {
    const next = (before: readonly Tried[]) =>
      chooseNext([slow, quick], { before, now: [], begun: [] }, present)
    const [old, failed] = [tried('slow', 0, 1, true, 'old'), tried('slow', 1, 1, false, 'old')]
    expect(next([old, failed])).toEqual([slow, 1])
    const rest = [tried('slow', 1, 1), tried('slow', 2, 1), tried('quick', 0, 1), tried('quick', 1, 1)]
    expect(next([old, ...rest.slice(0, 3)])).toEqual([quick, 1])
    expect(next([old, ...rest])).toEqual([slow, 0])
  })

  it('tells what was covered, on which sources, and does not take a failure for covered', () => {
    const [good, bad, old] = [
      tried('slow', 0, 60),
      tried('slow', 1, 60, false),
      tried('slow', 2, 60, true, 'old'),
    ]
    const table = renderTable([slow], [good, bad, old], present)
    expect(table).toContain('| slow | 2 of 3 | 1 | 1 | 2 | 6 | 300 | 3 | 2030-01-02 | a slow |')
  })

  it('takes the last try of a unit for what counts, and adds up the values of a law', () => {
    const [before, after] = [tried('slow', 1, 1, false), tried('slow', 1, 2)]
    const other = tried('slow', 0, 3)
    expect(newest([before, other, after])).toEqual([other, after])
    const laws = addLaws({ a: 1, b: 2 }, [{ ...other, laws: { b: 999_998, c: 5 } }, after])
    expect(laws).toEqual({ a: 1, b: 1_000_000, c: 5 })
    expect(describeLaws(laws)).toMatch(/^1 of 3 laws .* fewest:\n\n- 1: a\n- 5: c/)
  })

  it('tries a law until it has had its values, and counts them', () => {
    const scratch = makeScratch()
    const [known, values, out] = [scratch.file('known', '{}'), scratch.at('values'), scratch.at('out')]
    const env = { ...process.env, LABORATORY_KNOWN: known, LABORATORY_VALUES: values }
    const words = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${out}`]
    const tryLaws = (mostMs: number): ReadonlyMap<string, number> => {
      writeFileSync(values, '')
      const child = spawnSync(process.execPath, [...words, 'test/core/json/canonical.test.ts'], {
        cwd: TOP,
        env: { ...env, LABORATORY_LAW_MS: String(mostMs) },
      })
      expect(child.status, String(child.stderr)).toBe(0)
      const lines = readFileSync(values, 'utf8').trimEnd().split('\n')
      return new Map(lines.map((line) => line.split('\t')).map(([count, law = '']) => [law, Number(count)]))
    }
    const first = tryLaws(200)
    expect(first.size).toBeGreaterThan(0)
    writeFileSync(known, JSON.stringify(Object.fromEntries([...first.keys()].map((law) => [law, 2_000_000]))))
    expect([...tryLaws(PATIENCE_MS).values()]).toEqual([...first.keys()].map(() => 100))
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
