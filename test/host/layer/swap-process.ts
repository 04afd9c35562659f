/**
 * Runs commands while another process swaps folders of the workspace for links and back, until so many of them really
 * ran, and prints how many there were and how many read something denied or outside. As `control`, nothing is compared
 * with the first look, until a command has read something; as `long control`, until as many ran.
 */
import { spawn } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch } from '../../../src/host/confine/confinement.ts'
import { ToolFailure } from '../../../src/core/error.ts'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { steadyMs } from '../../../src/host/system/clock.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { OUTSIDE_SECRET } from '../run/command-bench.ts'
import { byWords, openLayerBench, SECRET } from './layer-bench.ts'

const [, , how = '', wanted = '1'] = process.argv
if (how === 'ordinary') becomeOrdinary()
if (how === 'root without native code') process.env['TONGS_NATIVE'] = 'off'
const isControl = how.endsWith('control')
/** Refused commands are repeated, but not for ever. */
const MOST_TRIES = 20 * Number(wanted)

/**
 * Tells of each swap. Its pauses are of all lengths, from none to twice as long as a command takes: some
 * commands start and end between two swaps, others meet many.
 */
const SWAPPER = `
const { renameSync, writeSync } = require('node:fs')
const [root, commandMs] = process.argv.slice(1)
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, [0, 0, 0.01, 0.03, 0.1, 0.3, 1, 2][Math.floor(Math.random() * 8)] * commandMs)
for (;;) {
  for (const [from, to] of [['conf', 'away'], ['link', 'conf'], ['conf', 'link'], ['away', 'conf']]) {
    renameSync(root + '/' + from, root + '/' + to)
    if (to !== 'conf') continue
    writeSync(1, '.')
    pause()
  }
}
`
const READ = `for tries in 1 2 3 4 5 6; do cat */.env */secret.txt; grep -rhs SECRET .; sleep 0.02; done 2>/dev/null; touch conf/made`

/** Takes out what compares the workspace with the look: before the command starts, and after its end. */
const withoutChecks = (launch: Launch): Launch => ({
  ...byWords(launch),
  findMoved: () => null,
  argv: launch.argv.map((word) => word.replaceAll('|| changed', '|| :')),
})

const bench = await openLayerBench(isControl ? withoutChecks : undefined)
const { root, outside } = bench
bench.write('conf/.env', SECRET)
bench.write('conf/plain')
bench.write('other/plain')
symlinkSync(outside, join(root, 'link'))

type Outcome = 'leaked' | 'held' | 'moved' | 'refused'

/** Some commands do not start, and of some that ran nothing is shown, because the workspace was moved around. */
const attack = async (): Promise<Outcome> => {
  const layer = bench.newLayer()
  try {
    const end = await bench.onLayer(layer, READ)
    return end.stdout.includes(SECRET) || end.stdout.includes(OUTSIDE_SECRET) ? 'leaked' : 'held'
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return 'starts' in error.error.details ? 'refused' : 'moved'
  } finally {
    await discardLayer(layer)
  }
}

await attack()
const startedMs = steadyMs()
const first = await attack()
const commandMs = Math.ceil(steadyMs() - startedMs)

const swapper = spawn(process.execPath, ['-e', SWAPPER, root, `${commandMs}`], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let swaps = 0
const ended = new Promise((done) => swapper.once('exit', done))
await new Promise<void>((ready) =>
  swapper.stdout.on('data', (dots: Buffer) => {
    swaps += dots.length
    ready()
  }),
)
const counts: Record<Outcome, number> = { refused: 0, moved: 0, leaked: 0, held: 0 }
/** Commands that ran to their end although something was swapped since they were prepared. */
let met = 0
const ran = (): number => counts.held + counts.leaked
const isOver = (): boolean => (how === 'control' ? counts.leaked > 0 : ran() >= Number(wanted))
for (let tries = 0; tries < MOST_TRIES && !isOver(); tries++) {
  const before = swaps
  const outcome = await attack()
  counts[outcome]++
  if (outcome === 'held' && swaps > before) met++
}
swapper.kill('SIGKILL')
await ended
const calm = await attack()
const damage = ['made', '.env'].some((name) => existsSync(join(outside, name)))
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), ...counts, met, swaps, first, calm, damage }))
