/**
 * Runs commands that were granted a folder and a file while another process exchanges both for links to what is outside,
 * and prints how many of them read or wrote something denied or outside. As `control`, what is granted is mounted by its
 * name, until a command has reached something.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ToolFailure } from '../../../../src/core/error.ts'
import type { JudgedPlace } from '../../../../src/host/confine/confinement.ts'
import { findPlace } from '../../../../src/host/confine/held/held-place.ts'
import { steadyMs } from '../../../../src/host/system/clock.ts'
import { becomeOrdinary } from '../../../harness/ordinary-user.ts'
import { openCommandBench, OUTSIDE_SECRET } from '../../run/command-bench.ts'
import type { GrantedSwaps } from './run-granted-swaps.ts'

const [, , who = '', how = '', wanted = '1'] = process.argv
if (who === 'ordinary') becomeOrdinary()
const isControl = how === 'control'
/** Refused commands are repeated, but not for ever. */
const MOST_TRIES = isControl ? 400 : 40 * Number(wanted)
const DENIED = 'DENIED-SECRET'

/** Its pauses are of all lengths, from none to twice as long as a command takes. */
const SWAPPER = `
const { renameSync, writeSync } = require('node:fs')
const [top, commandMs] = process.argv.slice(1)
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, [0, 0, 0.01, 0.03, 0.1, 0.3, 1, 2][Math.floor(Math.random() * 8)] * commandMs)
const swap = (one, other) => {
  for (const [from, to] of [[one, 'away'], [other, one], ['away', other]]) renameSync(top + '/' + from, top + '/' + to)
}
for (;;) {
  swap('folder', 'folder-link')
  swap('file', 'file-link')
  writeSync(1, '.')
  pause()
}
`

const bench = await openCommandBench()
const top = join(dirname(bench.root), 'granted')
const [folder, file] = [join(top, 'folder'), join(top, 'file')]
const victim = join(bench.outside, 'victim')
mkdirSync(join(folder, 'secrets'), { recursive: true })
writeFileSync(join(folder, 'plain'), 'plain')
writeFileSync(join(folder, '.env'), DENIED)
writeFileSync(join(folder, 'secrets/key'), DENIED)
writeFileSync(file, '')
writeFileSync(victim, '')
symlinkSync(bench.outside, join(top, 'folder-link'))
symlinkSync(victim, join(top, 'file-link'))
const masked = [join(folder, '.env'), join(folder, 'secrets')]
const LINE = `echo evil >> '${file}'; for tries in 1 2 3; do cat '${folder}'/* '${folder}'/.env '${folder}'/secrets/*; sleep 0.01; done 2>/dev/null; true`

type Outcome = 'leaked' | 'held' | 'refused'

/** A person is asked about the names only while they lead to what they say. */
const judge = async (): Promise<readonly JudgedPlace[]> => {
  for (;;) {
    const places = [folder, file].map(findPlace)
    const found = places.filter((place) => place !== null && [folder, file].includes(place.real))
    if (found.length === places.length)
      return found.flatMap((place) => (place === null ? [] : [{ ...place, isGranted: true }]))
    await new Promise((done) => setImmediate(done))
  }
}

const attack = async (): Promise<Outcome> => {
  const judged = await judge()
  try {
    const confinement = await bench.confine({
      read: [folder],
      write: [file],
      masked,
      ...(isControl ? {} : { judged: new Map(judged.map((place) => [place.real, place])) }),
    })
    const { stdout } = await bench.sh(LINE, { confinement })
    return stdout.includes(DENIED) || stdout.includes(OUTSIDE_SECRET) ? 'leaked' : 'held'
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return 'refused'
  }
}
const isDamaged = (): boolean => readFileSync(victim, 'utf8') !== ''

await attack()
const startedMs = steadyMs()
const first = await attack()
const commandMs = Math.ceil(steadyMs() - startedMs)
const swapper = spawn(process.execPath, ['-e', SWAPPER, top, `${commandMs}`], {
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
const counts: Record<Outcome, number> = { refused: 0, leaked: 0, held: 0 }
const isOver = (): boolean =>
  isControl ? counts.leaked > 0 || isDamaged() : counts.held + counts.leaked >= Number(wanted)
for (let tries = 0; tries < MOST_TRIES && !isOver(); tries++) counts[await attack()]++
swapper.kill('SIGKILL')
await ended
const result: GrantedSwaps = { uid: process.getuid?.() ?? 0, ...counts, swaps, first, isDamaged: isDamaged() }
await bench.close()
process.stdout.write(JSON.stringify(result))
