import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolResult } from '../../../src/core/result.ts'
import type { RunOptions, Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

/** A bench with one runtime that lets edits pass without asking, so that what was read stays known. */
export interface EditBench extends Bench {
  readonly runtime: Runtime
  readonly run: (name: string, args: unknown, options?: RunOptions) => Promise<ToolResult>
  /** Reads files, so that they may be edited. */
  readonly see: (...paths: readonly string[]) => Promise<void>
  /** Applies a patch made of these lines between its first and its last one. */
  readonly patch: (...lines: readonly string[]) => Promise<ToolResult>
  /** A file's bytes as Latin-1 text, one character each; null where there is no file. */
  readonly raw: (name: string) => string | null
  /** Everything in the root: names, modes and bytes. */
  readonly tree: () => Readonly<Record<string, string>>
}

/** Opens one. */
export async function editBench(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<RuntimeOptions> = {},
): Promise<EditBench> {
  const made = bench(files)
  const config = { 'tools.approval.mode': 'auto', ...options.config }
  const runtime = await made.open({ ...options, config })
  const run: EditBench['run'] = async (name, args, runOptions) => {
    const [result] = await runtime.run([{ id: 'c1', name, args }], runOptions)
    if (result === undefined) throw new Error('no result')
    return result
  }
  return {
    ...made,
    runtime,
    run,
    see: async (...paths) => {
      for (const path of paths) {
        const result = await run('read_file', { path })
        if (!result.ok) throw new Error(`cannot read ${path}: ${result.error.message}`)
      }
    },
    patch: (...lines) => run('apply_patch', { patch: lp1(...lines) }),
    raw: (name) => {
      const path = join(made.root, name)
      return existsSync(path) ? readFileSync(path, 'latin1') : null
    },
    tree: () => readTree(made.root),
  }
}

/** The text of a patch with these lines in it. */
export function lp1(...lines: readonly string[]): string {
  return ['LP1', ...lines, 'END', ''].join('\n')
}

function readTree(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(names.map((name) => [name, describeEntry(join(root, name))]))
}

function describeEntry(path: string): string {
  const stat = lstatSync(path)
  const mode = (stat.mode & 0o7777).toString(8)
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`
  return stat.isFile() ? `${mode} ${readFileSync(path, 'latin1')}` : `${mode} folder or other`
}
