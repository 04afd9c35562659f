import type { Tool } from '../../../src/core/tool.ts'
import { createSearchTools } from '../../../src/servers/search-tools.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'

const FOREIGN = ['notes__create_note', 'notes__search_note', 'mail__send'].map((name) => ({
  name,
  description: `Does what ${name} says`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}))

/** The tool that finds foreign tools, as it is where there are many of them. */
export const searchTools: Tool = createSearchTools(FOREIGN)

/** Every tool that ships: those that are always there, and the one for foreign tools. */
export const shippedTools: readonly Tool[] = [...builtInTools, searchTools]
