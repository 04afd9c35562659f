import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench } from '../../bench-folder.ts'
import { runOrdinary } from '../../harness/ordinary-user.ts'

/** What to run, and on what: files, the modes that some names get, and calls by their ids. */
export interface OrdinaryRun {
  readonly files: Readonly<Record<string, string>>
  readonly modes: Readonly<Record<string, number>>
  readonly calls: Readonly<Record<string, readonly [name: string, args: object]>>
}

/** Runs calls as a user who owns nothing there, and gives their results by id. */
export function runOrdinaryCalls({ files, modes, calls }: OrdinaryRun): ReadonlyMap<string, ToolResult> {
  const b = bench(files)
  chmodSync(b.top, 0o1777)
  const batch = Object.entries(calls).map(([id, [name, args]]) => ({ id, name, args }))
  try {
    for (const [name, mode] of Object.entries(modes)) chmodSync(join(b.root, name), mode)
    const child = new URL('ordinary-calls.ts', import.meta.url)
    const printed = runOrdinary(child, JSON.stringify({ top: b.top, calls: batch })) as readonly ToolResult[]
    return new Map(printed.map((result) => [result.id, result]))
  } finally {
    for (const name of Object.keys(modes)) chmodSync(join(b.root, name), 0o700)
  }
}
