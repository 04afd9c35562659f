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
      '`tongs tools NAME` shows the schemas of a tool and whether models are told about it unasked. The effect is the most that a tool may do; [the corridor](pipeline.md) decides from it what is asked about.',
      ['| Tool | Effect | What it does |', '| --- | --- | --- |', ...rows].join('\n'),
    ].join('\n\n') + '\n'
  )
}
