import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'

/** Something that is tried over and over, in units that can be told apart: the same unit tries the same again. */
export interface Part {
  readonly name: string
  /** What one unit tries. */
  readonly unit: string
  /** How many hundredths of the time of a long run it gets. */
  readonly share: number
  /** How many units are all that is to be tried. */
  readonly units: number
  readonly files: readonly string[]
  /** What tells the tests which unit it is. */
  readonly env: (unit: number) => Readonly<Record<string, string>>
}

const long = { TONGS_LONG: '1', EVERY_CASE: '1' }
const seeded = (unit: number) => ({
  EVERY_CASE: '1',
  HARDENING_SEED: String(unit),
  FAULTS_SEED: String(unit),
})
const KILLS = 50

/** Every part of the laboratory; the shares are of one hundred. */
export function listParts(): readonly Part[] {
  const laws = findLaws()
  return [
    {
      name: 'laws',
      unit: `${laws.length} files of laws on random values`,
      share: 25,
      units: 500,
      files: laws,
      env: seeded,
    },
    {
      name: 'kills',
      unit: `${KILLS} kills of a process at work`,
      share: 15,
      units: 200,
      files: ['test/faults/kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_KILLS: String(KILLS) }),
    },
    {
      name: 'kills on layers',
      unit: `${KILLS} kills while a command lands or is undone`,
      share: 12,
      units: 40,
      files: ['test/faults/layer-kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_KILLS: String(KILLS) }),
    },
    {
      name: 'kills of conversations',
      unit: '25 kills in the middle of a turn',
      share: 6,
      units: 40,
      files: ['test/faults/talk-kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_TALK_KILLS: '25' }),
    },
    {
      name: 'system calls',
      unit: 'every hundredth error of every system call, once and lasting',
      share: 12,
      units: 100,
      files: ['test/faults/syscall-errors.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_SLICE: `${unit}/100` }),
    },
    {
      name: 'troubles',
      unit: 'every step with a full disk, a refusal, a lost file or a cut of power',
      share: 10,
      units: 20,
      files: [
        'test/faults/failpoints.test.ts',
        'test/faults/troubles.test.ts',
        'test/faults/obstacles.test.ts',
        'test/faults/power-cut.test.ts',
        'test/faults/edit-groups.test.ts',
        'test/faults/layer-troubles.test.ts',
        'test/faults/many-processes.test.ts',
      ],
      env: seeded,
    },
    {
      name: 'damage',
      unit: '100 stores with bytes flipped, cut or exchanged',
      share: 5,
      units: 100,
      files: ['test/journal/random-damage.test.ts'],
      env: (unit) => ({ ...seeded(unit), HARDENING_TRIES: '100' }),
    },
    {
      name: 'races',
      unit: '50 commands and 20,000 paths beside a process that swaps folders, as root and as others',
      share: 10,
      units: 50,
      files: ['test/host/layer/swaps.long.test.ts', 'test/host/root/swap-race.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), HARDENING_TRIES: '50', RACE_TRIES: '20000' }),
    },
    {
      name: 'attacks',
      unit: 'every family of attacks, with its control',
      share: 5,
      units: 50,
      files: [
        'test/host/confine/escapes.test.ts',
        'test/host/git/spellings.test.ts',
        'test/tools/every-tool/clones.test.ts',
        'test/pipeline/approve/bound-question.test.ts',
        'test/core/text/secrets/secret-shapes.test.ts',
      ],
      env: (unit) => ({ ...seeded(unit), HARDENING_TRIES: '10' }),
    },
  ]
}

/** The test files that state laws, without those of other parts. */
function findLaws(): readonly string[] {
  return readdirSync(join(TOP, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('.long.') && !name.startsWith('faults/'))
    .map((name) => join('test', name))
    .filter((name) => readFileSync(join(TOP, name), 'utf8').includes('fc.assert'))
    .toSorted()
}
