import { spawn } from 'node:child_process'
import type { Runtime } from '../src/index.ts'
import { median, round, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'
import type { Place } from './place.ts'

const HEAP_BYTES = 1024 ** 3
const ROUNDS = 15
const GOAL_MS = 3
/** About as long as a command takes. */
const IDLE_MS = 40

/** Row 10: how long starting a command keeps the event loop of a large process, against starting it here. */
export async function startCommandRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const [layered, bare] = [await open(place, 'auto'), await open(place, 'off')]
    const command = (runtime: Runtime) => async (): Promise<void> => {
      const [result] = await runtime.run([{ id: 's', name: 'run_shell', args: { cmd: ['true'] } }])
      if (result?.ok !== true) throw new Error(`the command failed: ${result?.content}`)
    }
    await command(layered)()
    await command(bare)()
    const ballast = Buffer.alloc(HEAP_BYTES, 1)
    const naive: number[] = []
    const ours: number[] = []
    const withoutLayer: number[] = []
    const idle: number[] = []
    for (let turn = 0; turn < ROUNDS; turn++) {
      const started = performance.now()
      const child = spawn('true', { stdio: 'ignore' })
      naive.push(performance.now() - started)
      await new Promise((done) => child.once('exit', done))
      ours.push(await longestGap(command(layered)))
      withoutLayer.push(await longestGap(command(bare)))
      idle.push(await longestGap(() => new Promise((done) => setTimeout(done, IDLE_MS))))
    }
    await layered.close()
    await bare.close()
    if (ballast[HEAP_BYTES - 1] !== 1) throw new Error('the memory was not there')
    const [mine, theirs] = [median(ours), median(naive)]
    const name = '10 event loop kept by starting a command, process of 1 GiB'
    const figures = { ours: round(mine), baseline: round(theirs), ratio: round(mine / theirs) }
    return [
      withLimit(
        { name, ...figures, unit: 'ms', goal: `<= ${GOAL_MS} ms`, met: mine <= GOAL_MS },
        `Without a layer it is ${round(median(withoutLayer))} ms, and ${round(median(idle))} if nothing happens at all. No process is started here: it is the longest step between two pauses of looking at what the command may see, and of making its layer.`,
      ),
    ]
  } finally {
    place.clean()
  }
}

async function open(place: Place, layer: 'auto' | 'off'): Promise<Runtime> {
  const runtime = await place.open({
    config: { 'tools.dedupe_window_seconds': 0, 'tools.shell.layer': layer },
    approve: (requests) => requests.map(() => 'once' as const),
  })
  // As an application does: the helper that starts commands is there while the process is still small.
  await runtime.warm()
  return runtime
}

/** The longest time in which the event loop did nothing else while this was at work. */
async function longestGap(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let last = performance.now()
  let isOver = false
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  return longest
}
