import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from '../src/index.ts'
import { atMost, median, round, timeInTurns, withLimit } from './measure.ts'
import type { Curve, Row } from './measure.ts'
import { makePlace } from './place.ts'
import type { Place } from './place.ts'

const SMALL = 1_000
const MIDDLE = 3_000
const LARGE = 10_000
const LANDED = 5_000
const PER_FOLDER = 50
const TURNS = 3
const BODY = 'a line of ordinary length in a file\n'.repeat(28)

/** Row 19: what a layer costs a command that changes nothing, and landing many new files, against copying them. */
export async function layerRows(): Promise<readonly Row[]> {
  const small = await timeIdle(SMALL, { rounds: 9, runs: 5 })
  const middle = await timeIdle(MIDDLE, { rounds: 3, runs: 5 })
  const large = await timeIdle(LARGE, { rounds: 3, runs: 5 })
  const name = `19 \`true\` on a layer in ${say(SMALL)} files, against without`
  const added = (cost: IdleCost): number => cost.layered - cost.bare
  const limit =
    'As root, a layer needs no program beside those of the sandbox: what it adds are its folders, the mount itself and the two looks at the tree. Others need unshare, a shell, mount and find for it.'
  return [
    withLimit(atMost(name, small.wall.layered / 1000, small.wall.bare / 1000, 'ms', 1.5), limit),
    withLimit(
      atMost(`${name}, CPU with children`, small.cpu.layered / 1000, small.cpu.bare / 1000, 'ms', 1.5),
      limit,
    ),
    // The whole tree is looked at twice, so ten times the files may add up to ten times as much.
    {
      ...atMost(
        `19 what a layer adds to \`true\` in ${say(LARGE)} files, against ${say(SMALL)}, CPU with children`,
        added(large.cpu) / 1000,
        added(small.cpu) / 1000,
        'ms',
        LARGE / SMALL,
      ),
      curve: growthOf({ [SMALL]: small.cpu, [MIDDLE]: middle.cpu, [LARGE]: large.cpu }),
    },
    await landingRow(),
  ]
}

function growthOf(costs: Readonly<Record<string, IdleCost>>): Curve {
  const line = (name: string, of: (cost: IdleCost) => number): Curve['lines'][number] => ({
    name,
    points: Object.entries(costs).map(([files, cost]) => [Number(files), round(of(cost) / 1000)]),
  })
  return {
    title: 'A command that changes nothing and the size of the tree',
    x: 'files in the tree',
    y: 'ms of CPU with children',
    lines: [line('on a layer', ({ layered }) => layered), line('without', ({ bare }) => bare)],
  }
}

function say(count: number): string {
  return count.toLocaleString('en')
}

async function openWith(place: Place, layer: 'off' | 'require'): Promise<Runtime> {
  return place.open({
    durability: 'full',
    config: { 'tools.dedupe_window_seconds': 0, 'tools.shell.layer': layer },
    approve: (requests) => requests.map(() => 'once' as const),
  })
}

async function run(runtime: Runtime, cmd: readonly string[]): Promise<void> {
  const [result] = await runtime.run([{ id: 's', name: 'run_shell', args: { cmd: [...cmd] } }])
  if (result?.ok !== true) throw new Error(`the command failed: ${result?.content}`)
}

function fill(folder: string, count: number): void {
  for (let at = 0; at < count; at++) {
    const holder = join(folder, `d${Math.floor(at / PER_FOLDER)}`)
    mkdirSync(holder, { recursive: true })
    writeFileSync(join(holder, `f${at}.txt`), `${at}\n${BODY}`)
  }
}

/** The median microseconds of a command that changes nothing. */
interface IdleCost {
  readonly bare: number
  readonly layered: number
}

/** Both clocks are read in the same rounds, as a command takes long. */
async function timeIdle(
  files: number,
  { rounds, runs }: { readonly rounds: number; readonly runs: number },
): Promise<{ readonly wall: IdleCost; readonly cpu: IdleCost }> {
  const place = makePlace()
  try {
    fill(place.root, files)
    const [bare, layered] = [await openWith(place, 'off'), await openWith(place, 'require')]
    const cpu = { bare: [] as number[], layered: [] as number[] }
    const several = async (runtime: Runtime, used: number[]): Promise<void> => {
      const before = cpuOfAll()
      for (let at = 0; at < runs; at++) await run(runtime, ['true'])
      used.push((cpuOfAll() - before) / runs)
    }
    const wall = await timeInTurns(
      { bare: () => several(bare, cpu.bare), layered: () => several(layered, cpu.layered) },
      { rounds, runs: 1 },
    )
    await bare.close()
    await layered.close()
    // The first round only warms up.
    const [ofBare, ofLayered] = [median(cpu.bare.slice(1)), median(cpu.layered.slice(1))]
    return {
      wall: { bare: wall.bare / runs, layered: wall.layered / runs },
      cpu: { bare: ofBare, layered: ofLayered },
    }
  } finally {
    place.clean()
  }
}

/** How long the system counts as one tick, in microseconds. */
const TICK_US = 10_000

/** The microseconds of processor time of this process, its children, and those that they have waited for. */
function cpuOfAll(): number {
  const { user, system } = process.cpuUsage()
  let ticks = timesOf(`${process.pid}`)?.ended ?? 0
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(name) : null
    if (times?.parent === process.pid) ticks += times.own + times.ended
  }
  return user + system + ticks * TICK_US
}

function timesOf(process: string) {
  try {
    const fields = readFileSync(`/proc/${process}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    const field = (at: number): number => Number(fields[at])
    return { parent: field(1), own: field(11) + field(12), ended: field(13) + field(14) }
  } catch {
    // It has ended meanwhile.
    return null
  }
}

/** Both end with the files in place and on the disk. */
async function landingRow(): Promise<Row> {
  const place = makePlace()
  try {
    const source = join(place.top, 'source')
    fill(source, LANDED)
    const runtime = await openWith(place, 'require')
    const [landed, copied]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < TURNS; turn++) {
      landed.push(await landOnce(runtime))
      await runtime.undo({})
      const target = join(place.top, `copy${turn}`)
      const started = performance.now()
      execFileSync('cp', ['-a', source, target])
      execFileSync('sync', ['-f', place.top])
      copied.push(performance.now() - started)
      rmSync(target, { recursive: true })
    }
    await runtime.close()
    const name = `19 landing ${LANDED.toLocaleString('en')} new files after the command, against cp -a and sync -f`
    return withLimit(
      atMost(name, median(landed), median(copied), 'ms', 1),
      timeLandingParts(place.top, source),
    )
  } finally {
    place.clean()
  }
}

/** What no landing can do without, each measured alone on as many files. */
function timeLandingParts(top: string, source: string): string {
  const [from, to] = [join(top, 'from'), join(top, 'to')]
  execFileSync('cp', ['-a', source, from])
  mkdirSync(to)
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.txt'),
  )
  const timed = (body: () => void): number => {
    const started = performance.now()
    body()
    return round(performance.now() - started)
  }
  const hashing = timed(() => {
    for (const file of files) hash('sha256', readFileSync(join(from, file)))
  })
  const moving = timed(() => {
    for (const [at, file] of files.entries()) renameSync(join(from, file), join(to, `${at}`))
  })
  const syncing = timed(() => execFileSync('sync', ['-f', top]))
  return `On as many files, reading and hashing take ${hashing} ms, renaming ${moving} and syncing ${syncing}, each measured alone in the same run; copying reads and writes in one program, and hashes and records nothing.`
}

const WRITE_ALL = `i=0
while [ $i -lt ${LANDED} ]; do
  d=d$((i / ${PER_FOLDER}))
  [ -d $d ] || mkdir $d
  printf '%s\\n%s' $i "$1" >$d/f$i.txt
  i=$((i + 1))
done
echo written`

/** From the end of the command, which wrote the files itself, until they are in place. */
async function landOnce(runtime: Runtime): Promise<number> {
  let ended = Number.NaN
  const [result] = await runtime.run(
    [{ id: 's', name: 'run_shell', args: { cmd: ['sh', '-c', WRITE_ALL, 'sh', BODY] } }],
    {
      onEvent: (event) => {
        if (event.event === 'output') ended = performance.now()
      },
    },
  )
  if (result?.ok !== true) throw new Error(`the command failed: ${result?.content}`)
  return performance.now() - ended
}
