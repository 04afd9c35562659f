import { unifiedDiff } from '../core/text/unified-diff.ts'
import type { Definition } from './definition.ts'

/** A definition as lines that can be compared. */
export function showDefinition({ name, description, inputSchema, outputSchema }: Definition): string {
  const parts = [`tool: ${name}`, description, `input: ${JSON.stringify(inputSchema, null, 2)}`]
  if (outputSchema !== null) parts.push(`output: ${JSON.stringify(outputSchema, null, 2)}`)
  return `${parts.join('\n')}\n`
}

/** What differs between two sets of definitions, tool by tool; empty if nothing does. */
export function diffDefinitions(before: readonly Definition[], after: readonly Definition[]): string {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted()
  return names
    .map((path) => ({ path, before: textOf(before, path), after: textOf(after, path) }))
    .filter((sides) => sides.before !== sides.after)
    .map(unifiedDiff)
    .join('')
}

function textOf(all: readonly Definition[], name: string): string {
  const found = all.find((one) => one.name === name)
  return found === undefined ? '' : showDefinition(found)
}
