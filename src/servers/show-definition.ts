import { unifiedDiff } from '../core/text/unified-diff.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonValue } from '../core/json/value.ts'
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

const LONGEST_LINE = 2_000

/** Keys of a schema whose meaning the lines for its arguments carry. */
const TOLD: ReadonlySet<string> = new Set(['type', 'properties', 'required'])

/**
 * All that a model would read of a tool, as lines for a person who is asked about it: the description, each argument with
 * its schema, and what else the schemas say. A line that is too long ends with how much is missing.
 */
export function describeTool({ description, inputSchema, outputSchema }: Definition): readonly string[] {
  const properties = isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const required: readonly JsonValue[] = Array.isArray(inputSchema['required']) ? inputSchema['required'] : []
  const more = Object.entries(inputSchema).filter(([key]) => !TOLD.has(key))
  return [
    ...description.split('\n'),
    ...Object.entries(properties).map(
      ([name, schema]) =>
        `argument ${nameInLine(name)}${required.includes(name) ? ' (required)' : ''}: ${JSON.stringify(schema)}`,
    ),
    ...more.map(([key, value]) => `arguments, ${nameInLine(key)}: ${JSON.stringify(value)}`),
    ...(outputSchema === null ? [] : [`result: ${JSON.stringify(outputSchema)}`]),
  ].map(cutLine)
}

function nameInLine(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : JSON.stringify(name)
}

function cutLine(line: string): string {
  const left = line.length - LONGEST_LINE
  return left <= 0 ? line : `${line.slice(0, LONGEST_LINE)}… (${left} more characters; --json shows them)`
}
