import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { failure } from '../../../src/core/error.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { object, oneOf, optional, string } from '../../../src/schema/schema.ts'
import type { Tool } from '../../../src/core/tool.ts'
import type { RunOptions, Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'

const done = object({ done: string('Which') }, 'Done')
/** The tools that ran, in order; a test empties it first. */
export const runs: string[] = []

/** A tool that notes that it ran; `fail` makes it fail. */
export function tool(name: string, changes: Readonly<Record<string, unknown>> = {}): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    description: `The tool ${name}`,
    effect: 'read',
    input: object(
      {
        word: optional(string('A word')),
        fail: optional(string('Fail with this')),
        action: optional(oneOf(['list', 'drop'], 'What to do')),
      },
      'Arguments',
    ),
    output: done,
    run: ({ fail }: { readonly fail?: string }) => {
      runs.push(name)
      if (fail !== undefined) throw failure('execution_failed', fail)
      return { done: name }
    },
    ...changes,
  })
}

/** Three that read, and one with effects. */
export const tools = [
  tool('a'),
  tool('b'),
  tool('c'),
  tool('push', { effect: 'external', idempotent: false }),
]

/** A clock that stands until it is told to go on. */
export function standingClock(start = 1_800_000_000_000) {
  let now = start
  return { now: () => now, elapsed: () => now, goOn: (ms: number) => void (now += ms) }
}

/** A runtime with rules, and what happens on it. */
export interface Stage {
  /** Runs calls of these tools as one turn, and says how each ended. */
  readonly turn: (
    names: readonly (string | { readonly name: string; readonly args: object })[],
    options?: RunOptions,
  ) => Promise<readonly string[]>
  readonly errors: () => readonly { readonly message: string; readonly details: object }[]
  /** Closes the runtime and opens another one on the same journal. */
  readonly restart: () => Promise<void>
  readonly clock: ReturnType<typeof standingClock>
  readonly rows: () => readonly ToolResult[]
  readonly runtime: () => Runtime
}

/** Opens one; the journal is on disk, so that it can be closed and opened again. */
export async function stage(rules: readonly object[], more: Partial<RuntimeOptions> = {}): Promise<Stage> {
  const b = bench()
  const clock = standingClock()
  const config = { 'tools.rules': rules, 'tools.approval.mode': 'auto', ...more.config }
  const open = (): Promise<Runtime> => b.open({ tools, clock, durability: 'normal', ...more, config })
  let runtime = await open()
  let last: readonly { readonly message: string; readonly details: object }[] = []
  let rows: readonly ToolResult[] = []
  return {
    clock,
    errors: () => last,
    rows: () => rows,
    runtime: () => runtime,
    async turn(names, options = {}) {
      const calls = names.map((word, index) => ({
        id: `c${index}`,
        ...(typeof word === 'string' ? { name: word, args: {} } : word),
      }))
      rows = await runtime.run(calls, { session: 's', ...options })
      last = rows.flatMap((result) => (result.ok ? [] : [errorOf(result)]))
      return rows.map((result) => (result.ok ? 'ok' : result.error.code))
    },
    async restart() {
      await runtime.close()
      runtime = await open()
    },
  }
}

export const NO = 'rule_violation'
