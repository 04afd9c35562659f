import { join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/** Runs the calls of its first argument without root's powers, and prints their results as JSON. */
const { top, calls } = JSON.parse(process.argv[2] ?? '') as { top: string; calls: readonly ToolCall[] }
const root = join(top, 'root')

async function run(stateDir: string) {
  const runtime = await createRuntime({ root, stateDir: join(top, stateDir), durability: 'memory' })
  const results = await runtime.run(calls)
  await runtime.close()
  return results
}

// The first run loads what is loaded late, while everything can still be read.
await run('state-of-root')
becomeOrdinary()
process.stdout.write(JSON.stringify(await run('state')))
