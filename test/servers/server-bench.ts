import { join } from 'node:path'
import { agreeOnce } from '../../src/core/approval.ts'
import type { ToolResult } from '../../src/core/result.ts'
import type { RunOptions, Runtime, RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'

const TOP = join(import.meta.dirname, '..', '..')

/** A bench with one server called `s`. */
export interface ServerBench extends Bench {
  readonly openTrusted: (options?: Partial<RuntimeOptions>) => Promise<Runtime>
}

/** An entry that starts a program. */
export interface ProgramEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly read: readonly string[]
}

/** The entry of a server that is a test program of this folder. */
export function programEntry(program: string, args: readonly string[], entry: object = {}): ProgramEntry {
  const read = [join(TOP, 'node_modules'), import.meta.dirname, join(TOP, 'package.json'), process.execPath]
  return { command: process.execPath, args: [join(import.meta.dirname, program), ...args], read, ...entry }
}

/** Makes a bench whose configuration names the server. */
export function serverBench(server: object): ServerBench {
  const config = { 'mcp.servers': { s: server } }
  const made = bench({}, config)
  return {
    ...made,
    /** Trusts what the server offers now, and opens a runtime that has its tools. */
    async openTrusted(options = {}) {
      const first = await made.open(options)
      first.servers.trust(await first.servers.inspect('s'))
      await first.close()
      return made.open({ approve: agreeOnce, ...options })
    },
  }
}

/** Calls one tool. */
export async function callIn(
  runtime: Runtime,
  name: string,
  args: object = {},
  options: RunOptions = {},
): Promise<ToolResult> {
  const [result] = await runtime.run([{ id: 'c1', name, args }], options)
  if (result === undefined) throw new Error('no result')
  return result
}
