import { defineTool } from '../../src/tools/define/define-tool.ts'
import { object, optional, string } from '../../src/schema/schema.ts'
import type { CallContext, Tool } from '../../src/core/tool.ts'

/** A tool with one optional word as its argument that answers `{said}`; `changes` replaces what else it declares. */
export function simpleTool(
  name: string,
  run: (args: { word?: string }, context: CallContext) => unknown,
  changes: Readonly<Record<string, unknown>> = {},
): Tool {
  return defineTool({
    name,
    version: '1.2.3',
    description: `The tool ${name}`,
    effect: 'read',
    input: object({ word: optional(string('A word')) }, 'Arguments'),
    output: object({ said: string('What was said') }, 'An answer'),
    run: run as () => { said: string },
    ...changes,
  })
}

/** Says its word. */
export const echo = simpleTool('echo', ({ word }) => ({ said: word ?? '' }))

/** Throws something nobody planned for. */
export const broken = simpleTool('broken', () => {
  throw new Error('boom')
})

/** How much processor time `busy` takes. */
export const BUSY_MS = 20

/** Keeps the processor busy. */
export const busy = simpleTool('busy', () => {
  const end = processorTimeUs() + BUSY_MS * 1000
  while (processorTimeUs() < end) Math.hypot(1, 2)
  return { said: '' }
})

function processorTimeUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
