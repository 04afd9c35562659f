import { builtInTools } from '../src/tools/built-in.ts'

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
    ].join('\n\n') + '\n'
  )
}
