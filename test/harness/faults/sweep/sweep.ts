import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Planted } from '../../layers/planted.ts'
import type { Outcome } from './trials.ts'

/** What is swept: an operation, how it is disturbed, and which part of all disturbances. */
export interface SweepPart {
  readonly operation: string
  readonly kind: 'deaths' | 'errors'
  readonly slice: number
  readonly slices: number
  /** Only calls that this pattern fits; all without it. */
  readonly at?: string
}

/** What a sweep came to. */
export interface Sweep extends SweepPart {
  /** How many calls the operation makes, by their names. */
  readonly calls: Readonly<Record<string, number>>
  /** How many disturbances there are at all of them. */
  readonly trials: number
  /** At how many of the calls of a name something was tried in this part. */
  readonly met: Readonly<Record<string, number>>
  readonly tried: number
  /** Deaths that leave what another one left that was looked at. */
  readonly same: number
  /** Those whose call did not come this time. */
  readonly missed: number
  readonly unmet: readonly string[]
  /** Those after which an empty folder stayed that the system had refused to remove. */
  readonly stayed: number
  readonly broken: readonly string[]
}

const SWEEPER = join(import.meta.dirname, 'sweeper.ts')
const BEFORE = ['./watched.ts', './stepped-clock.ts', './quick-programs.ts']
const PLANT = '../../layers/plant.ts'
/** Where the laboratory wants to know what was covered. */
const COVERAGE = process.env['LABORATORY_COVERAGE'] ?? ''

/** Sweeps a part of an operation in so many processes of its own, with a bug planted in the sources or none. */
export async function sweep(part: SweepPart, lanes = 1, planted: Planted | null = null): Promise<Sweep> {
  const { slice, slices } = part
  // Deaths are numbered in the run that they are taken from, so that two runs would divide them differently.
  if (part.kind === 'deaths' && lanes > 1) return sweep(part, 1, planted)
  const shares = Array.from({ length: lanes }, (_, lane) => `${slice + lane * slices}/${slices * lanes}`)
  const found = await Promise.all(
    shares.map((share) => runSweeper([part.operation, part.kind, share, `~${part.at ?? ''}`], planted)),
  )
  const all: Found[] = []
  for (const one of found) all.push(await meetAlone(one, part, planted))
  const swept = { ...part, ...sumUp(all, part) }
  if (COVERAGE !== '') appendFileSync(COVERAGE, `${JSON.stringify(swept)}\n`)
  return swept
}

/** So many may be tried in a process of their own. */
const MOST_ALONE = 20

/**
 * What earlier trials left in the memory of their process can spare a call its turn. A fault that was not met is tried once
 * more in a process of its own, like each of the first ones.
 */
async function meetAlone(
  found: Found,
  { operation, kind }: SweepPart,
  planted: Planted | null,
): Promise<Found> {
  const unmet = found.outcomes.filter(isUnmet)
  if (kind === 'deaths' || unmet.length === 0 || unmet.length > MOST_ALONE) return found
  const met = found.outcomes.filter((outcome) => !isUnmet(outcome))
  for (const { fault } of unmet) {
    const alone = await runSweeper([operation, kind, '0/1', fault], planted)
    met.push(...(alone.outcomes.length === 0 ? unmet.filter((one) => one.fault === fault) : alone.outcomes))
  }
  return { ...found, outcomes: met }
}

function isUnmet({ isSame, call }: Outcome): boolean {
  return isSame === undefined && call === null
}

/** Does one thing again that broke a law, or breaks one with a bug planted: `errors|undo|openSync~3f2a90c1~1|EIO|once`. */
export async function sweepAgain(fault: string, planted: Planted | null = null): Promise<Sweep> {
  const [kind, operation = '', ...rest] = fault.split('|')
  const part = { operation, kind: kind === 'deaths' ? kind : 'errors', slice: 0, slices: 1 } as const
  const found = await runSweeper([operation, part.kind, '0/1', rest.join('|')], planted)
  // Calls are counted, so that other sources have other names for them.
  if (found.outcomes.length === 0) throw new Error(`there is no ${fault}, so that nothing was repeated`)
  return { ...part, ...sumUp([found], part) }
}

interface Found {
  readonly calls: readonly string[]
  readonly trials: number
  readonly outcomes: readonly Outcome[]
}

/**
 * Each folder of PATH and of the toolchains at home is looked at, and what variables name for git: with those of the one
 * who starts it, a sweep would list thousands of calls more on one machine than on another.
 */
const EVERYWHERE = { PATH: '/usr/bin:/bin', HOME: '/no/such/home' }
/** What says how to test; nothing else of the environment reaches a sweep. */
const OWN_VARIABLE =
  /^(?:FAULTS_|HARDENING_|LABORATORY_|TONGS_LONG$|EVERY_CASE$|VITEST_PATIENCE_MS$|TMPDIR$|NODE_COMPILE_CACHE$)/

function ownVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => OWN_VARIABLE.test(name)))
}

async function runSweeper(words: readonly string[], planted: Planted | null): Promise<Found> {
  const before = [...(planted === null ? [] : [PLANT]), ...BEFORE]
  const hooks = before.flatMap((file) => ['--import', new URL(file, import.meta.url).href])
  const env = {
    ...ownVariables(),
    ...EVERYWHERE,
    ...(planted === null ? {} : { FAULTS_PLANTED: JSON.stringify(planted) }),
  }
  const child = spawn(process.execPath, [...hooks, SWEEPER, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let first: Pick<Found, 'calls' | 'trials'> | null = null
  const outcomes: Outcome[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const row = JSON.parse(line) as Outcome | Pick<Found, 'calls' | 'trials'>
    if ('fault' in row) outcomes.push(row)
    else first = row
  }
  const code = await ended
  if (first === null || code !== 0)
    throw new Error(`the sweep of ${words.join(' ')} ended with ${code}: ${said}`)
  return { ...first, outcomes }
}

function sumUp(found: readonly Found[], { kind, operation }: SweepPart): Omit<Sweep, keyof SweepPart> {
  const outcomes = found.flatMap((one) => one.outcomes)
  const looked = outcomes.filter(({ isSame }) => isSame === undefined)
  const unmet = outcomes.filter(isUnmet).map(({ fault }) => fault)
  const places = new Set(
    outcomes.flatMap(({ fault, call }) => (call === null ? [] : [`${fault.split('|')[0]} ${call}`])),
  )
  const [first] = found
  return {
    calls: countOf(first?.calls ?? []),
    trials: first?.trials ?? 0,
    met: countOf([...places].map((place) => place.slice(place.indexOf(' ') + 1))),
    tried: looked.filter(({ call }) => call !== null).length,
    same: kind === 'deaths' ? (first?.calls.length ?? 0) - new Set(looked.map(({ fault }) => fault)).size : 0,
    missed: unmet.length,
    unmet,
    stayed: outcomes.reduce((sum, { stayed = 0 }) => sum + stayed, 0),
    broken: outcomes.flatMap(({ fault, broken }) =>
      broken.map(
        (law) =>
          `${law}\n    FAULTS_REPEAT='sweep|${kind}|${operation}|${fault}' npx vitest run test/faults/sweep.test.ts`,
      ),
    ),
  }
}

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
