import { spawn, spawnSync } from 'node:child_process'
import { atLeast, median, round, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const BYTES = 1024 ** 3
const ROUNDS = 3
const MOST_GROWTH = 128 * 1024 ** 2

/** Row 11: a gigabyte of output of a sandboxed command in bounded memory, against a pipe between two programs. */
export async function outputRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const runtime = await place.open({
      config: { 'tools.dedupe_window_seconds': 0 },
      approve: (requests) => requests.map(() => 'once' as const),
    })
    const args = { cmd: ['head', '-c', String(BYTES), '/dev/zero'] }
    const piped: number[] = []
    const ours: number[] = []
    const started: number[] = []
    const dropped: number[] = []
    let growth = 0
    await runtime.run([{ id: 'warm', name: 'run_shell', args: { cmd: ['true'] } }])
    for (let turn = 0; turn < ROUNDS; turn++) {
      piped.push(
        seconds(() =>
          spawnSync('sh', ['-c', `head -c ${BYTES} /dev/zero | cat >/dev/null`], { stdio: 'ignore' }),
        ),
      )
      dropped.push(await secondsOf(() => readAndDrop(BYTES)))
      started.push(
        await secondsOf(() => runtime.run([{ id: `t${turn}`, name: 'run_shell', args: { cmd: ['true'] } }])),
      )
      const before = process.memoryUsage().rss
      const began = performance.now()
      const [result] = await runtime.run([{ id: `o${turn}`, name: 'run_shell', args }])
      ours.push((performance.now() - began) / 1000)
      growth = Math.max(growth, process.memoryUsage().rss - before)
      if (result?.ok !== true) throw new Error(`the command failed: ${result?.content}`)
    }
    await runtime.close()
    if (growth > MOST_GROWTH) throw new Error(`memory grew by ${growth} bytes`)
    const speed = (times: readonly number[]): number => BYTES / 2 ** 20 / median(times)
    return [
      withLimit(
        atLeast(
          '11 a gigabyte of output in bounded memory',
          speed(ours),
          speed(piped),
          'MiB per second',
          0.65,
        ),
        `Node itself reads as much from a pipe and drops it at ${round(speed(dropped))} MiB per second, and \`true\` in the sandbox takes ${round(median(started) * 1000)} of our ${round(median(ours) * 1000)} ms.`,
      ),
    ]
  } finally {
    place.clean()
  }
}

/** Reads the output of a program as quickly as Node can. */
function readAndDrop(bytes: number): Promise<void> {
  const child = spawn('head', ['-c', String(bytes), '/dev/zero'], { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.resume()
  return new Promise((done) => child.once('close', () => done()))
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

function seconds(work: () => unknown): number {
  const started = performance.now()
  work()
  return (performance.now() - started) / 1000
}
