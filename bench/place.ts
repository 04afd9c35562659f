import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, defineTool, schema } from '../src/index.ts'
import type { Runtime, RuntimeOptions } from '../src/index.ts'

/** A root and a state folder to measure in; on the disk where the checkout lies, since a memory disk syncs for free. */
export interface Place {
  readonly root: string
  readonly top: string
  readonly open: (options?: Partial<RuntimeOptions>) => Promise<Runtime>
  readonly clean: () => void
}

/** A tool that does nothing, so that only the way to it is measured. */
export const trivial = defineTool({
  name: 'trivial',
  version: '1.0.0',
  description: 'Adds two numbers',
  effect: 'read',
  input: schema.object({ a: schema.number('One'), b: schema.number('Other') }, 'Two numbers'),
  output: schema.object({ sum: schema.number('Their sum') }, 'A sum'),
  run: ({ a, b }) => ({ sum: a + b }),
})

export function makePlace(): Place {
  const top = mkdtempSync(join(process.env['TONGS_BENCH_DIR'] ?? tmpdir(), 'tongs-bench-'))
  const root = join(top, 'root')
  mkdirSync(root)
  let count = 0
  return {
    root,
    top,
    open: (options = {}) =>
      createRuntime({
        root,
        stateDir: join(top, `state${count++}`),
        tools: [trivial],
        durability: 'memory',
        ...options,
      }),
    clean: () => rmSync(top, { recursive: true, force: true }),
  }
}
