import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRequirements } from '../../scripts/requirement-files.ts'
import { TOP } from '../../scripts/run-tool.ts'
import { findCarriers } from '../../scripts/title-carriers.ts'
import { COSTLY, FAMILIES } from '../costly.ts'
import { chooseTurns, sittingOut } from '../harness/take-turns.ts'

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed)
const TITLES = [
  'A-1: first',
  'A-1, A-2: second',
  'control: one who looks away misses it',
  'finds a writer that changes files in place',
  ...Array.from({ length: 16 }, (_, at) => `case ${at}`),
]
const idsOf = (title: string): readonly string[] => title.match(/A-\d/g) ?? []
const turnsAt = (seed: number): readonly string[] => {
  const chosen = chooseTurns({ titles: TITLES, part: 1 / 4, seed, idsOf })
  return TITLES.filter((_, at) => chosen.has(at))
}

describe('the tests of a costly file', () => {
  it('always prove each of its requirements, and have their controls', () => {
    for (const seed of SEEDS) {
      const titles = turnsAt(seed)
      expect(new Set(titles.flatMap(idsOf))).toEqual(new Set(['A-1', 'A-2']))
      expect(titles).toEqual(expect.arrayContaining(TITLES.slice(2, 4)))
    }
  })

  it('take turns: a part at a time, the same for the same seed, and all of them sooner or later', () => {
    for (const seed of SEEDS) {
      expect(turnsAt(seed)).toHaveLength(TITLES.length / 4)
      expect(turnsAt(seed)).toEqual(turnsAt(seed))
    }
    expect(new Set(SEEDS.flatMap(turnsAt))).toEqual(new Set(TITLES))
  })

  it('are never all left out', () => {
    expect(chooseTurns({ titles: ['only'], part: 0.01, seed: 1, idsOf }).size).toBe(1)
  })
})

describe('the files of a family', () => {
  it('take turns, so many at a time, and all of them sooner or later', () => {
    const family = { files: ['a', 'b', 'c', 'd'], atOnce: 3 }
    for (const seed of SEEDS) expect(sittingOut([family], seed)).toHaveLength(1)
    expect(new Set(SEEDS.flatMap((seed) => sittingOut([family], seed)))).toEqual(new Set(family.files))
  })

  it('prove nothing that only they prove', () => {
    const known = new Set(readRequirements(TOP).map(({ id }) => id))
    const members = new Set(FAMILIES.flatMap(({ files }) => files))
    const alone = [...findCarriers(TOP, known)].filter(([, files]) =>
      files.every((file) => members.has(file)),
    )
    expect(alone).toEqual([])
  })
})

it('the lists name files that are there', () => {
  const files = globSync('test/**/*.test.ts', { cwd: TOP })
  expect(FAMILIES.flatMap((family) => family.files).filter((file) => !files.includes(file))).toEqual([])
  const unused = COSTLY.filter(([pattern]) => !files.some((file) => matchesGlob(file, pattern)))
  expect(unused).toEqual([])
})
