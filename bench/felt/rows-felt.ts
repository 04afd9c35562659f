import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { APPS } from '../../eval/runners/apps.ts'
import type { App } from '../../eval/runners/apps.ts'
import { TOP } from '../../scripts/run-tool.ts'
import { atMost, median, noMoreThan, round, withLimit } from '../measure.ts'
import type { Row } from '../measure.ts'
import { LEAST } from './least-agent.ts'
import { playSession } from './play-session.ts'
import type { Played } from './play-session.ts'
import { sessionCalls } from './script.ts'
import { openOnce, useApp } from './use-app.ts'
import type { Used } from './use-app.ts'

const MUCH_OUTPUT = 'a command that prints 10,000 lines a second'
const OPENINGS = 5
const SESSIONS = 3
const BUSY_KEY_MS = 50
/** What rounds to nothing: the 40 ms in which V8 cleans up once, and ticks of the system of 10 ms. */
const IDLE_PERCENT = 0.2
const IDLE_MEGABYTES = 90

type Name = keyof typeof APPS
const PEERS = ['pi', 'opencode'] as const satisfies readonly Name[]
/** What is measured of the least agent as well. */
interface Timed extends Played {
  readonly firstFrameMs: number
}
/** All that was measured of one agent. */
interface Felt extends Used, Timed {
  /** A session of the same kind without a single call. */
  readonly empty: Played
}

/** Row 21: what a person feels of the app and of `tongs run`, against two agents on the same script and the same model server. */
export async function feltRows(): Promise<readonly Row[]> {
  const bundled = spawnSync(process.execPath, [join(TOP, 'scripts/bundle.ts')], { encoding: 'utf8' })
  if (bundled.status !== 0) throw new Error(`not bundled: ${bundled.stderr}`)
  for (const { runner } of Object.values(APPS)) runner.prepare()
  const { least, ...felt } = await measureAll()
  return rowsOf(felt, least)
}

/** Each agent has a home of its own. The first time, which fills caches there, only warms up. */
async function measureAll(): Promise<Readonly<Record<Name, Felt> & { readonly least: Timed }>> {
  const homes = mkdtempSync(join(tmpdir(), 'tongs-homes-'))
  const each = <T>(measure: (app: App, home: string) => Promise<T>): Promise<Readonly<Record<Name, T>>> =>
    inTurn((name) => measure(APPS[name], join(homes, name)))
  const withLeast = async <T>(measure: (app: App, home: string) => Promise<T>) => ({
    ...(await each(measure)),
    least: await measure(LEAST, join(homes, 'least')),
  })
  try {
    const frames = await repeat(OPENINGS, () => withLeast(openOnce))
    const used = await each(useApp)
    const played = await repeat(SESSIONS, () =>
      withLeast((app, home) => playSession(app, home, sessionCalls(app))),
    )
    const empty = await each((app, home) => playSession(app, home, []))
    const timed = (name: Name | 'least'): Timed => {
      const middle = (of: (one: Played) => number): number => median(played.map((one) => of(one[name])))
      return {
        firstFrameMs: median(frames.map((one) => one[name])),
        firstRequestMs: middle(({ firstRequestMs }) => firstRequestMs),
        roundTripMs: middle(({ roundTripMs }) => roundTripMs),
        cpuMs: middle(({ cpuMs }) => cpuMs),
        peakMegabytes: middle(({ peakMegabytes }) => peakMegabytes),
      }
    }
    const felt = await inTurn((name) =>
      Promise.resolve({ ...used[name], ...timed(name), empty: empty[name] }),
    )
    return { ...felt, least: timed('least') }
  } finally {
    rmSync(homes, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

async function inTurn<T>(measure: (name: Name) => Promise<T>): Promise<Readonly<Record<Name, T>>> {
  return { tongs: await measure('tongs'), pi: await measure('pi'), opencode: await measure('opencode') }
}

async function repeat<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  await work()
  const results: T[] = []
  for (let turn = 0; turn < times; turn++) results.push(await work())
  return results
}

interface Measure {
  readonly name: string
  readonly unit: string
  readonly of: (felt: Felt) => number
  /** The same of the least agent, where it is measured. */
  readonly ofLeast?: (least: Timed) => number
  /** What is left of it if no call is made. */
  readonly ofEmpty?: (felt: Felt) => number
}

const MEASURES: readonly Measure[] = [
  { name: 'key to screen in an idle app', unit: 'ms', of: ({ keyMs }) => keyMs },
  { name: `key to screen beside ${MUCH_OUTPUT}`, unit: 'ms', of: ({ busyKeyMs }) => busyKeyMs },
  {
    name: 'first frame of the app',
    unit: 'ms',
    of: ({ firstFrameMs }) => firstFrameMs,
    ofLeast: ({ firstFrameMs }) => firstFrameMs,
  },
  { name: 'memory of an idle app', unit: 'MB', of: ({ idleMegabytes }) => idleMegabytes },
  {
    name: 'first request of `run`',
    unit: 'ms',
    of: ({ firstRequestMs }) => firstRequestMs,
    ofLeast: ({ firstRequestMs }) => firstRequestMs,
  },
  {
    name: 'between two model requests, with a file read',
    unit: 'ms',
    of: ({ roundTripMs }) => roundTripMs,
    ofLeast: ({ roundTripMs }) => roundTripMs,
  },
  {
    name: 'CPU of a session of 20 calls',
    unit: 'ms',
    of: ({ cpuMs }) => cpuMs,
    ofLeast: ({ cpuMs }) => cpuMs,
    ofEmpty: ({ empty }) => empty.cpuMs,
  },
  {
    name: 'peak memory of a session of 20 calls',
    unit: 'MB',
    of: ({ peakMegabytes }) => peakMegabytes,
    ofLeast: ({ peakMegabytes }) => peakMegabytes,
    ofEmpty: ({ empty }) => empty.peakMegabytes,
  },
]

function rowsOf(felt: Readonly<Record<Name, Felt>>, least: Timed): readonly Row[] {
  const { tongs } = felt
  const against = MEASURES.flatMap(({ name, unit, of, ofLeast, ofEmpty }) =>
    PEERS.map((peer) => {
      const row = atMost(`21 ${name}, against ${peer}`, of(tongs), of(felt[peer]), unit, 1)
      const limits = [
        ...(ofLeast === undefined ? [] : [sayLeast(ofLeast(least), unit)]),
        ...(ofEmpty === undefined
          ? []
          : [
              `a session without calls has ${round(ofEmpty(tongs))} ${unit} of it, and that of ${peer} ${round(ofEmpty(felt[peer]))}`,
            ]),
      ]
      return limits.length === 0 ? row : withLimit(row, limits.join('; '))
    }),
  )
  return [
    ...against,
    slowestKeyRow(tongs),
    noMoreThan('21 CPU of an idle app', tongs.idlePercent, '%', IDLE_PERCENT),
    noMoreThan('21 memory of an idle app', tongs.idleMegabytes, 'MB', IDLE_MEGABYTES),
  ]
}

/** What Node itself takes for the same. */
function sayLeast(least: number, unit: string): string {
  return `the least agent on Node, one loop that asks and runs and neither judges, records nor confines, took ${round(least)} ${unit} in the same run`
}

/** The slowest of all keys; if it is too slow, what the app did of it and what others on the machine did. */
function slowestKeyRow({ slowestBusyKey, busyKeyMs }: Used): Row {
  const { wallMs, cpuMs, queuedMs } = slowestBusyKey
  return withLimit(
    noMoreThan(`21 slowest key to screen beside ${MUCH_OUTPUT}`, wallMs, 'ms', BUSY_KEY_MS),
    `the app worked for ${round(cpuMs)} ms of it and waited ${round(queuedMs)} ms for a processor; the median of all keys was ${round(busyKeyMs)} ms`,
  )
}
