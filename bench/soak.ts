import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from '../src/index.ts'
import { atMost, cpuClock, noMoreThan, round } from './measure.ts'
import type { Curve, Row } from './measure.ts'
import { makePlace } from './place.ts'

const CALLS = 1_000_000
/** A look is taken after so many calls. */
const STEP = 10_000
/** Memory settles in the first looks: code is compiled, and pools grow to their size. */
const SETTLING = 0.2
const MEGABYTE = 1024 ** 2
const SLOPE_MB = 1
const GROWTH = 1.2

/** What a process was like after so many calls. */
export interface Look {
  readonly calls: number
  /** Processor time of each of the last calls. */
  readonly usPerCall: number
  /** What is still held after the garbage is collected: objects, buffers and compiled code. */
  readonly heldMegabytes: number
  readonly residentMegabytes: number
  readonly descriptors: number
  readonly stateMegabytes: number
}

/** Row 25: a million calls in one process: most of them trivial, with reads, edits, and calls that fail. */
export async function soakRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const looks = await soak(place, CALLS, STEP)
    return rowsOf(looks)
  } finally {
    place.clean()
  }
}

/** Makes calls of all kinds, and looks at the process after each of many steps. */
export async function soak(
  place: Pick<ReturnType<typeof makePlace>, 'root' | 'top' | 'open'>,
  calls: number,
  step: number,
): Promise<readonly Look[]> {
  const collect = globalThis.gc
  if (collect === undefined) throw new Error('run with --expose-gc')
  const stateDir = join(place.top, 'state')
  writeFileSync(join(place.root, 'read.txt'), 'a small file\n'.repeat(20))
  const runtime = await place.open({
    durability: 'normal',
    stateDir,
    approve: (requests) => requests.map(() => 'once' as const),
  })
  const looks: Look[] = []
  for (let done = 0; done < calls; done += step) {
    const begun = cpuClock()
    for (let at = done; at < done + step; at++) await callNext(runtime, at)
    const usPerCall = (cpuClock() - begun) / step
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    looks.push({
      calls: done + step,
      usPerCall,
      heldMegabytes: (heapUsed + external) / MEGABYTE,
      residentMegabytes: rss / MEGABYTE,
      descriptors: readdirSync('/proc/self/fd').length,
      stateMegabytes: sizeOf(stateDir) / MEGABYTE,
    })
  }
  await runtime.close()
  return looks
}

const FAILS_EVERY = 10
const READS_EVERY = 5
const EDITS_EVERY = 1_000

async function callNext(runtime: Runtime, at: number): Promise<void> {
  const [name, args, isExpected] = callFor(at)
  const [result] = await runtime.run([{ id: '1', name, args }], { session: `soak${at % 4}` })
  if (result?.ok !== isExpected) throw new Error(`call ${at} of ${name}: ${JSON.stringify(result)}`)
}

/** A call by its number, and whether it is to succeed. */
function callFor(at: number): readonly [name: string, args: object, isExpected: boolean] {
  if (at % EDITS_EVERY === 0) return ['write_file', { path: 'edit.txt', content: `turn ${at + 1}\n` }, true]
  if (at % EDITS_EVERY === EDITS_EVERY - 4) return ['read_file', { path: 'edit.txt' }, true]
  if (at % FAILS_EVERY === 1) return ['read_file', { path: `missing-${at}.txt` }, false]
  if (at % READS_EVERY === 2) return ['read_file', { path: 'read.txt' }, true]
  return ['trivial', { a: at, b: 1 }, true]
}

function rowsOf(looks: readonly Look[]): readonly Row[] {
  const settled = looks.slice(Math.floor(looks.length * SETTLING))
  const [first, last] = [looks[1], looks.at(-1)]
  if (first === undefined || last === undefined) throw new Error('too few looks')
  const per = (of: (look: Look) => number): number =>
    slopeOf(settled.map((look) => [look.calls, of(look)])) * 1e5
  const descriptors = looks.map((look) => look.descriptors)
  const beginning = looks[0]?.descriptors ?? 0
  const lines = (name: string, of: (look: Look) => number): Curve['lines'][number] => ({
    name,
    points: looks.map((look) => [look.calls, round(of(look))]),
  })
  const x = 'calls made in one process'
  return [
    {
      ...atMost(
        '25 the last 10,000 of a million calls, against the second 10,000, CPU',
        last.usPerCall,
        first.usPerCall,
        'us per call',
        GROWTH,
      ),
      curve: {
        title: 'Cost of a call over a million calls in one process',
        x,
        y: 'µs of CPU a call',
        lines: [lines('each 10,000', (look) => look.usPerCall)],
      },
    },
    {
      ...noMoreThan(
        '25 memory held per 100,000 of a million calls',
        per((look) => look.heldMegabytes),
        'MB',
        SLOPE_MB,
      ),
      curve: {
        title: 'Memory over a million calls in one process',
        x,
        y: 'MB',
        lines: [
          lines('resident', (look) => look.residentMegabytes),
          lines('held', (look) => look.heldMegabytes),
        ],
      },
    },
    noMoreThan(
      '25 resident memory per 100,000 of a million calls',
      per((look) => look.residentMegabytes),
      'MB',
      SLOPE_MB,
    ),
    noMoreThan(
      '25 descriptors more after a million calls',
      Math.max(...descriptors.slice(1)) - beginning,
      'descriptors',
      0,
    ),
    {
      ...noMoreThan(
        '25 state on disk per call of a million, while its process runs',
        (last.stateMegabytes * MEGABYTE) / last.calls,
        'bytes',
        600,
      ),
      curve: {
        title: 'State on disk over a million calls in one process',
        x,
        y: 'MB',
        lines: [lines('state folder', (look) => look.stateMegabytes)],
      },
    },
  ]
}

/** The slope of the straight line that fits points best. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)]
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

/** Files may come and go while they are looked at. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.reduce((sum, { parentPath, name }) => {
    const size = statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0
    return sum + size
  }, 0)
}
