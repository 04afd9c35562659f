import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import type { ToolCall } from '../../../src/core/call.ts'
import type { ToolResult } from '../../../src/core/result.ts'

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

type Functions = Record<string, unknown>

const { top, calls } = JSON.parse(process.argv[2] ?? '') as { top: string; calls: readonly ToolCall[] }
const write = fs.writeSync
const connections: string[] = []
let touches: Touch[] | null = null

function watch(functions: Functions): void {
  for (const [name, original] of Object.entries(functions)) {
    if (typeof original !== 'function' || !/^[a-z]/.test(name)) continue
    const watched = (...args: readonly unknown[]): unknown => {
      touches?.push([name, String(args[0])])
      return Reflect.apply(original, functions, args)
    }
    functions[name] = Object.assign(watched, original)
  }
}

function bar(functions: Functions, label: string, names: readonly string[]): void {
  for (const name of names) {
    functions[name] = () => {
      connections.push(`${label}.${name}`)
      throw new Error('there is no network here')
    }
  }
}

function namesOf(functions: object): readonly string[] {
  return Object.entries(functions).flatMap(([name, value]) =>
    typeof value === 'function' && /^[a-z]/.test(name) ? [name] : [],
  )
}

function attempt(use: () => unknown): void {
  try {
    use()
  } catch {
    // It is counted by the trap.
  }
}

bar(net.Socket.prototype as unknown as Functions, 'socket', ['connect'])
bar(dns as unknown as Functions, 'dns', namesOf(dns))
bar(dns.promises as unknown as Functions, 'dns.promises', namesOf(dns.promises))
bar(dgram as unknown as Functions, 'dgram', ['createSocket'])
bar(http as unknown as Functions, 'http', ['request', 'get'])
bar(https as unknown as Functions, 'https', ['request', 'get'])
bar(tls as unknown as Functions, 'tls', ['connect'])
bar(globalThis as unknown as Functions, 'global', ['fetch', 'WebSocket'])
watch(fs as unknown as Functions)
watch(fs.promises as unknown as Functions)
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
