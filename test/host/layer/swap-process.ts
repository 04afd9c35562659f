/**
 * Runs commands while another process swaps folders of the workspace for links and back, and prints how many of them ran
 * and how many read something denied or outside. As `control`, nothing is compared with the first look.
 */
import { spawn } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch } from '../../../src/host/confine/confinement.ts'
import { ToolFailure } from '../../../src/core/error.ts'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { OUTSIDE_SECRET } from '../run/command-bench.ts'
import { openLayerBench, SECRET } from './layer-bench.ts'

const [, , how = '', rounds = '1'] = process.argv
if (how === 'ordinary') becomeOrdinary()
const isControl = how === 'control'

/** Pauses of all lengths: some commands start and end between two swaps, others meet several. */
const SWAPPER = `
const { renameSync } = require('node:fs')
const [root] = process.argv.slice(1)
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, [0, 1, 5, 30, 300, 3000][Math.floor(Math.random() * 6)])
process.stdout.write('ready')
for (;;) {
  for (const [from, to] of [['conf', 'away'], ['link', 'conf'], ['conf', 'link'], ['away', 'conf']]) {
    renameSync(root + '/' + from, root + '/' + to)
    if (to === 'conf') pause()
  }
}
`
const READ = `for tries in 1 2 3 4 5 6; do cat */.env */secret.txt; grep -rhs SECRET .; sleep 0.02; done 2>/dev/null; touch conf/made`

/** Takes out what compares the workspace with the look: before the command starts, and after its end. */
const withoutChecks = (launch: Launch): Launch => ({
  ...launch,
  findMoved: () => null,
  argv: launch.argv.map((word) => word.replaceAll('|| changed', '|| :')),
})

const bench = await openLayerBench(isControl ? withoutChecks : undefined)
const { root, outside } = bench
bench.write('conf/.env', SECRET)
bench.write('conf/plain')
bench.write('other/plain')
symlinkSync(outside, join(root, 'link'))
const attack = async (): Promise<'refused' | 'leaked' | 'held'> => {
  const layer = bench.newLayer()
  try {
    const end = await bench.onLayer(layer, READ)
    return end.stdout.includes(SECRET) || end.stdout.includes(OUTSIDE_SECRET) ? 'leaked' : 'held'
  } catch (error) {
    if (error instanceof ToolFailure) return 'refused'
    throw error
  } finally {
    await discardLayer(layer)
  }
}

const swapper = spawn(process.execPath, ['-e', SWAPPER, root], { stdio: ['ignore', 'pipe', 'inherit'] })
const ended = new Promise((done) => swapper.once('exit', done))
await new Promise((ready) => swapper.stdout.once('data', ready))
const counts = { refused: 0, leaked: 0, held: 0 }
const isOver = (): boolean => isControl && counts.leaked > 0
for (let round = 0; round < Number(rounds) && !isOver(); round++) counts[await attack()]++
swapper.kill('SIGKILL')
await ended
const calm = await attack()
const damage = ['made', '.env'].some((name) => existsSync(join(outside, name)))
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), ...counts, calm, damage }))
