import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listParts } from '../../scripts/laboratory/parts.ts'
import type { Part } from '../../scripts/laboratory/parts.ts'
import { renderTable } from '../../scripts/laboratory/record.ts'
import type { Tried } from '../../scripts/laboratory/record.ts'
import { chooseNext } from '../../scripts/laboratory/run.ts'
import { TOP } from '../../scripts/run-tool.ts'

const part = (name: string, share: number, units: number): Part => ({
  name,
  unit: `a ${name}`,
  share,
  units,
  files: [],
  env: () => ({}),
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
    expect(table).toContain('| slow | 1 of 3 | 1 | 4 | 200 | 2 | a slow |')
  })
})
