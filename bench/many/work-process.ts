import { once } from 'node:events'
import { createRuntime } from '../../src/index.ts'
import { trivial } from '../place.ts'

/** How far a process of many came. */
export interface Worked {
  readonly calls: number
  readonly seconds: number
  /** Why calls were not done. */
  readonly failures: readonly string[]
}

/** Calls cost more than twice as much until the code of a process is compiled, and that is not what is compared here. */
const WARM_UP = 5_000

// One of many processes on one state folder: ROOT STATE SESSION SECONDS. It says when it is ready, and begins when it is told.
const [root = '', stateDir = '', session = '', seconds = '1'] = process.argv.slice(2)
const runtime = await createRuntime({ root, stateDir, tools: [trivial], durability: 'normal' })
const failures: string[] = []
let calls = 0
const call = async (): Promise<void> => {
  try {
    const [result] = await runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session })
    if (result?.ok !== true) failures.push(result?.content ?? 'no result')
  } catch (error) {
    failures.push(String(error))
  }
  calls++
}
for (let warm = 0; warm < WARM_UP; warm++) await call()
process.stdout.write('ready\n')
await once(process.stdin, 'data')
calls = 0
const begun = performance.now()
for (const end = begun + Number(seconds) * 1000; performance.now() < end;) await call()
const worked: Worked = { calls, seconds: (performance.now() - begun) / 1000, failures }
await runtime.close()
process.stdout.write(`${JSON.stringify(worked)}\n`)
process.stdin.destroy()
