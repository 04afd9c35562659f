import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SWEPT, SWEPT_LAYERS, SWEPT_TO_LAYERS } from '../../test/harness/faults/sweep/swept-names.ts'
import { readMutations } from '../mutation-list.ts'
import { TOP } from '../run-tool.ts'
import type { Rooms } from './sources.ts'

/** Something that is tried over and over, in units that can be told apart: the same unit tries the same again. */
export interface Part {
  readonly name: string
  /** What one unit tries. */
  readonly unit: string
  /** How many hundredths of the time of a long run it gets. */
  readonly share: number
  /** How many units are all that is to be tried. */
  readonly units: number
  /** The tests, or the script with its arguments. */
  readonly files: readonly string[]
  /** Those of them that a unit tries; all without it. */
  readonly filesOf?: (unit: number) => readonly string[]
  readonly script?: (unit: number) => readonly string[]
  /** What tells the tests which unit it is. */
  readonly env: (unit: number) => Readonly<Record<string, string>>
  /** What it tries: what was tried is forgotten when these sources change. */
  readonly rooms: Rooms
}

const long = { TONGS_LONG: '1', EVERY_CASE: '1' }
const seeded = (unit: number) => ({
  EVERY_CASE: '1',
  HARDENING_SEED: String(unit),
  FAULTS_SEED: String(unit),
})
const KILLS = 500
const LAYER_KILLS = 100
const TALK_KILLS = 50
const SEEDS = 400
const LIVES = 10_000
/** What a law gets that has not had a million values by then: it starts processes, writes files, or is slow. */
const LAW_MS = 120_000
/** Longer than any file of laws takes. */
const LAWS_PATIENCE_MS = 3_600_000
const LAW_GROUPS = 20
const SOAKED_CALLS = 20_000
/** Rows of planted bugs in a unit. */
const ROWS = 12
/** Into how many units the errors of system calls are divided; each begins with a look at all of them. */
const SYSCALL_SLICES = 20
const LAYER_ERRORS = 100
/** Into how many units the errors of an operation are divided. */
const SLICES = 8
const LAYER_SLICES = 8
/** The same for what starts a command at each of them. */
const COMMAND_SLICES = 24

/** Every part of the laboratory; the shares are of one hundred. */
export function listParts(): readonly Part[] {
  return [...sweeps(), ...kills(), ...lives(), ...faults(), ...attacks()]
}

/** One unit for all deaths of each operation, and some for its errors. */
function listSweeps(operations: readonly string[], slices: number): readonly string[] {
  return operations.flatMap((operation) => [`deaths|${operation}|0/1`, ...listSlices(operation, slices)])
}

function listSlices(operation: string, slices: number): readonly string[] {
  return Array.from({ length: slices }, (_, slice) => `errors|${operation}|${slice}/${slices}`)
}

function sweeps(): readonly Part[] {
  const files = ['test/faults/sweep.test.ts']
  const plain = listSweeps(SWEPT, SLICES)
  const layers = [
    ...listSweeps(SWEPT_LAYERS, LAYER_SLICES),
    ...SWEPT_TO_LAYERS.map((operation) => `deaths|${operation}|0/1`),
    ...SWEPT_TO_LAYERS.flatMap((operation) => listSlices(operation, COMMAND_SLICES)),
  ]
  return [
    {
      name: 'sweep',
      unit: 'every death of a command, or an eighth of all errors of all its calls',
      share: 18,
      units: plain.length,
      files,
      env: (unit) => ({ FAULTS_SWEEP: plain[unit] ?? '' }),
      rooms: 'engine',
    },
    {
      name: 'sweep of layers',
      unit: 'every death while a layer is made, lands or is undone, or a part of all errors: an eighth of a landing or an undoing, a 24th of a command',
      share: 8,
      units: layers.length,
      files,
      env: (unit) => ({ FAULTS_SWEEP: layers[unit] ?? '' }),
      rooms: 'engine',
    },
  ]
}

function kills(): readonly Part[] {
  return [
    {
      name: 'kills',
      unit: `${KILLS} kills of a process at work`,
      share: 14,
      units: 20,
      files: ['test/faults/kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_KILLS: String(KILLS) }),
      rooms: 'commands',
    },
    {
      name: 'kills on layers',
      unit: `${LAYER_KILLS} kills while a command lands or is undone`,
      share: 8,
      units: 20,
      files: ['test/faults/layer-kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_KILLS: String(LAYER_KILLS) }),
      rooms: 'commands',
    },
    {
      name: 'kills of conversations',
      unit: `${TALK_KILLS} kills in the middle of a turn`,
      share: 4,
      units: 20,
      files: ['test/faults/talk-kills.long.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_TALK_KILLS: String(TALK_KILLS) }),
      rooms: 'commands',
    },
  ]
}

function lives(): readonly Part[] {
  const laws = findLaws()
  return [
    {
      name: 'laws',
      unit: `the laws of some of ${laws.length} files, each with a million random values in all or for ${LAW_MS / 60_000} minutes`,
      share: 12,
      units: LAW_GROUPS,
      files: laws,
      filesOf: (unit) => laws.filter((file) => groupOf(file) === unit),
      env: (unit) => ({
        ...seeded(unit),
        LABORATORY_LAW_MS: String(LAW_MS),
        VITEST_PATIENCE_MS: String(LAWS_PATIENCE_MS),
      }),
      rooms: 'engine',
    },
    {
      name: 'lives',
      unit: `${SEEDS} random lives of two sessions against a simple model of them`,
      share: 6,
      units: LIVES / SEEDS,
      files: ['test/faults/random-lives.test.ts'],
      env: (unit) => ({ ...seeded(unit), LIVES: `${unit * SEEDS}+${SEEDS}` }),
      rooms: 'engine',
    },
    {
      name: 'soak',
      unit: `${SOAKED_CALLS} mixed calls of 1, 10, 100 or 1,000 sessions at once`,
      share: 6,
      units: 50,
      files: ['test/faults/soak.test.ts'],
      env: (unit) => ({
        ...seeded(unit),
        SOAK_CALLS: String(SOAKED_CALLS),
        SOAK_SESSIONS: String(10 ** (unit % 4)),
      }),
      rooms: 'engine',
    },
  ]
}

function faults(): readonly Part[] {
  return [
    {
      name: 'system calls',
      unit: `one of ${SYSCALL_SLICES} parts of all errors of every system call, from outside`,
      share: 4,
      units: SYSCALL_SLICES,
      files: ['test/faults/syscall-errors.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_SLICE: `${unit}/${SYSCALL_SLICES}` }),
      rooms: 'commands',
    },
    {
      name: 'system calls on layers',
      unit: `${LAYER_ERRORS} errors of system calls while a layer lands or is undone, from outside`,
      share: 2,
      units: 10,
      files: ['test/faults/layer-syscall-errors.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), FAULTS_ERRORS: String(LAYER_ERRORS) }),
      rooms: 'commands',
    },
    {
      name: 'troubles',
      unit: 'every step with a full disk, a refusal, a lost file or a cut of power',
      share: 4,
      units: 5,
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
      rooms: 'commands',
    },
    {
      name: 'damage',
      unit: '100 stores with bytes flipped, cut or exchanged',
      share: 3,
      units: 100,
      files: ['test/journal/random-damage.test.ts'],
      env: (unit) => ({ ...seeded(unit), HARDENING_TRIES: '100' }),
      rooms: 'engine',
    },
  ]
}

function attacks(): readonly Part[] {
  const ids = [
    ...new Set(readMutations(TOP).flatMap(({ id, isControl }) => (isControl === true ? [] : [id]))),
  ]
  return [
    {
      name: 'races',
      unit: '50 commands and 20,000 paths beside a process that swaps folders, as root and as others',
      share: 4,
      units: 20,
      files: ['test/host/layer/swaps.long.test.ts', 'test/host/root/swap-race.test.ts'],
      env: (unit) => ({ ...long, ...seeded(unit), HARDENING_TRIES: '50', RACE_TRIES: '20000' }),
      rooms: 'commands',
    },
    {
      name: 'attacks',
      unit: 'every family of attacks, with its control',
      share: 3,
      units: 10,
      files: [
        'test/host/confine/escapes.test.ts',
        'test/host/git/spellings.test.ts',
        'test/tools/every-tool/clones.test.ts',
        'test/pipeline/approve/bound-question.test.ts',
        'test/core/text/secrets/secret-shapes.test.ts',
      ],
      env: (unit) => ({ ...seeded(unit), HARDENING_TRIES: '10' }),
      rooms: 'commands',
    },
    {
      name: 'planted bugs',
      unit: `the planted bugs of ${ROWS} ids`,
      share: 4,
      units: Math.ceil(ids.length / ROWS),
      files: ['scripts/mutants.ts'],
      script: (unit) => ['scripts/mutants.ts', ...ids.slice(unit * ROWS, (unit + 1) * ROWS)],
      env: () => ({}),
      rooms: 'all',
    },
  ]
}

/** In which unit a file of laws is tried; a further file leaves the others where they are. */
function groupOf(file: string): number {
  return hash('sha256', file, 'buffer').readUInt32BE() % LAW_GROUPS
}

/** The test files that state laws, without those of other parts. */
function findLaws(): readonly string[] {
  return readdirSync(join(TOP, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('.long.') && !name.startsWith('faults/'))
    .map((name) => join('test', name))
    .filter((name) => readFileSync(join(TOP, name), 'utf8').includes('fc.assert'))
    .toSorted()
}
