import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { barNetwork, watchFunctions } from '../../harness/watch-functions.ts'

/** What a watched process did while it ran its calls. */
export interface Watched {
  readonly results: readonly ToolResult[]
  /** For each call, every use of a file system function with the path it was given. */
  readonly touched: readonly (readonly Touch[])[]
  /** Every attempt at the network, from the start of the process. */
  readonly connections: readonly string[]
  /** What the traps caught when they were tried at the end. */
  readonly caught: readonly string[]
}

/** The name of a file system function, and its first argument. */
export type Touch = readonly [name: string, path: string]

const { top, calls } = JSON.parse(process.argv[2] ?? '') as { top: string; calls: readonly ToolCall[] }
const write = fs.writeSync
const connections: string[] = []
let touches: Touch[] | null = null

function attempt(use: () => unknown): void {
  try {
    use()
  } catch {
    // It is counted by the trap.
  }
}

barNetwork((name) => connections.push(name))
for (const functions of [fs, fs.promises])
  watchFunctions(functions, (name, path) => touches?.push([name, path]))
syncBuiltinESMExports()

const { createRuntime } = await import('../../../src/runtime/create-runtime.ts')
const root = join(top, 'root')
const runtime = await createRuntime({ root, stateDir: join(top, 'state'), durability: 'memory' })
// The first run loads what is loaded late; what counts is the second.
await runtime.run(calls)
const results: ToolResult[] = []
const touched: (readonly Touch[])[] = []
for (const call of calls) {
  const ofThisCall: Touch[] = []
  touches = ofThisCall
  results.push(...(await runtime.run([call])))
  touches = null
  touched.push(ofThisCall)
}
await runtime.close()

const done = connections.length
for (const use of [
  () => net.connect(9),
  () => dns.lookup('localhost', () => undefined),
  () => http.get('http://localhost'),
  () => fetch('http://localhost'),
])
  attempt(use)
const watched: Watched = {
  results,
  touched,
  connections: connections.slice(0, done),
  caught: connections.slice(done),
}
write(1, JSON.stringify(watched))
