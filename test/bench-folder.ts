import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ToolResult } from '../src/core/result.ts'
import { createRuntime } from '../src/runtime/create-runtime.ts'
import type { RunOptions, Runtime, RuntimeOptions } from '../src/runtime/create-runtime.ts'
import { cleanUpWith } from './harness/clean-up.ts'

/** A workspace with a state folder of its own, gone after the test, or after the file if it was made outside of one. */
export interface Bench {
  readonly top: string
  readonly root: string
  readonly stateDir: string
  readonly put: (name: string, data: string | Uint8Array) => string
  readonly open: (options?: Partial<RuntimeOptions>) => Promise<Runtime>
  /** Runs one call in a runtime that lives for it alone. */
  readonly call: (
    name: string,
    args: unknown,
    options?: Partial<RuntimeOptions>,
    run?: RunOptions,
  ) => Promise<ToolResult>
}

/** Commands are asked about before they run, and a yes covers what they change. */
export const ASK_BEFORE = { 'tools.shell.ask': 'before' } as const

/** A bench whose commands are asked about before they run. */
export function benchAskingBefore(files: Readonly<Record<string, string | Uint8Array>> = {}): Bench {
  return bench(files, ASK_BEFORE)
}

/** Makes a bench with these files in its root; the settings hold unless a runtime is given others. */
export function bench(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  usual: RuntimeOptions['config'] = {},
): Bench {
  const top = mkdtempSync(join(tmpdir(), 'tongs-test-'))
  cleanUpWith(() => rmSync(top, { recursive: true, force: true }))
  const root = join(top, 'root')
  const stateDir = join(top, 'state')
  mkdirSync(root)
  const put = (name: string, data: string | Uint8Array): string => {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
    return path
  }
  for (const [name, data] of Object.entries(files)) put(name, data)
  const open = async (options: Partial<RuntimeOptions> = {}): Promise<Runtime> => {
    const config = { ...usual, ...options.config }
    const runtime = await createRuntime({ root, stateDir, durability: 'memory', ...options, config })
    cleanUpWith(() => runtime.close())
    return runtime
  }
  const call = async (
    name: string,
    args: unknown,
    options: Partial<RuntimeOptions> = {},
    run: RunOptions = {},
  ): Promise<ToolResult> => {
    const runtime = await open(options)
    const [result] = await runtime.run([{ id: 'c1', name, args }], run)
    if (result === undefined) throw new Error('no result')
    return result
  }
  return { top, root, stateDir, put, open, call }
}

/** The error of a result that must have failed. */
export function errorOf(result: ToolResult | undefined) {
  if (result === undefined || result.ok) throw new Error(`expected a failure, got ${describe(result)}`)
  return { ...result.error, state: result.execution.state, content: result.content }
}

/** The output of a result that must have succeeded. */
export function outputOf(result: ToolResult | undefined) {
  if (result === undefined || !result.ok) throw new Error(`expected a success, got ${describe(result)}`)
  return result.result
}

function describe(result: ToolResult | undefined): string {
  return (JSON.stringify(result) ?? 'nothing').slice(0, 1000)
}
