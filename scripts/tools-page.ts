import { createSearchTools } from '../src/servers/search-tools.ts'
import { builtInTools } from '../src/tools/built-in.ts'

const search = createSearchTools([])

/** The page about the tools that ship, from what they say of themselves. */
export function renderToolsPage(): string {
  const rows = builtInTools
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, effect, description }) => `| \`${name}\` | ${effect} | ${description} |`)
  return (
    [
      '# Tools',
      'This page is printed from the files in `src/tools`; change it there and run `npm run docs`.',
      '`tongs tools NAME` shows the arguments of a tool, and whether models are told about it. The effect is the most a tool may do; [the pipeline](pipeline.md) decides by it which calls need approval. To write one: [add a tool](tasks/add-a-tool.md).',
      ['| Tool | Effect | What it does |', '| --- | --- | --- |', ...rows].join('\n'),
      `If your MCP servers have [many tools](tasks/use-mcp-servers.md#many-tools), there is one more: \`${search.name}\` (${search.effect}), which finds them by words of their names and descriptions.`,
    ].join('\n\n') + '\n'
  )
}
