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

/** What there is to show of a server before its tools are used. */
export interface ShownServer {
  readonly name: string
  readonly definitions: readonly Definition[]
  readonly refused: readonly { readonly name: string; readonly why: string }[]
  readonly wasTrusted: boolean
  readonly sandbox: string | null
  readonly diff: string
}

/** The same as parts that every face shows; lines of the server's own are apart from ours. */
export interface ServerParts {
  /** What changed since it was trusted; empty if it never was, and then the tools are listed. */
  readonly diff: string
  readonly tools: readonly { readonly name: string; readonly lines: readonly string[] }[]
  /** What confines it, and which of its tools are not used. */
  readonly ends: readonly string[]
}

/** All that a person agrees to by trusting what a server offers. Lines longer than `longest` are cut. */
export function describeServer(
  { name, definitions, refused, wasTrusted, sandbox, diff }: ShownServer,
  longest = LONGEST_LINE,
): ServerParts {
  return {
    diff: wasTrusted ? diff : '',
    tools: wasTrusted
      ? []
      : definitions.map((tool) => ({ name: `${name}__${tool.name}`, lines: describeTool(tool, longest) })),
    ends: [
      ...(sandbox === null ? [] : [`sandbox: ${sandbox}`]),
      ...refused.map((one) => `${one.name} is not used: ${one.why}`),
    ],
  }
}

const LONGEST_LINE = 2_000

/** Keys of a schema whose meaning the lines for its arguments carry. */
const TOLD: ReadonlySet<string> = new Set(['type', 'properties', 'required'])

/**
 * All that a model would read of a tool, as lines for a person who is asked about it: the description, each argument with
 * its schema, and what else the schemas say. A line that is too long ends with how much is missing.
 */
function describeTool(
  { description, inputSchema, outputSchema }: Definition,
  longest: number,
): readonly string[] {
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
  ].map((line) => cutLine(line, longest))
}

function nameInLine(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : JSON.stringify(name)
}

function cutLine(line: string, longest: number): string {
  const left = line.length - longest
  return left <= 0 ? line : `${line.slice(0, longest)}… (${left} more characters; --json shows them)`
}
