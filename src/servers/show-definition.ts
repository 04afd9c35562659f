import { unifiedDiff } from '../core/text/unified-diff.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
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

/** All that a person agrees to by trusting what a server offers, however much that is. */
export function describeServer({
  name,
  definitions,
  refused,
  wasTrusted,
  sandbox,
  diff,
}: ShownServer): ServerParts {
  return {
    diff: wasTrusted ? diff : '',
    tools: wasTrusted
      ? []
      : definitions.map((tool) => ({ name: `${name}__${tool.name}`, lines: describeTool(tool) })),
    ends: [
      ...(sandbox === null ? [] : [`sandbox: ${sandbox}`]),
      ...refused.map((one) => `${one.name} is not used: ${one.why}`),
    ],
  }
}

/**
 * All that a model would read of a tool, as lines for a person who is asked about it: the description, each argument with
 * its schema, and whatever else there is. Only what the lines before it say in full is left out of the rest.
 */
function describeTool({
  name: _above,
  description,
  inputSchema,
  outputSchema,
  ...others
}: Definition): readonly string[] {
  return [
    ...description.split('\n'),
    ...describeArguments(inputSchema),
    ...(outputSchema === null ? [] : [`result: ${JSON.stringify(outputSchema)}`]),
    ...Object.entries(others).map(([key, value]) => `${nameInLine(key)}: ${JSON.stringify(value)}`),
  ]
}

function describeArguments({ properties = {}, required = [], ...others }: JsonObject): readonly string[] {
  if (!isJsonObject(properties) || !isListOfKeys(required, properties))
    return [`arguments: ${JSON.stringify({ properties, required, ...others })}`]
  const { type, ...rest } = others
  return [
    ...Object.entries(properties).map(
      ([name, schema]) =>
        `argument ${nameInLine(name)}${required.includes(name) ? ' (required)' : ''}: ${JSON.stringify(schema)}`,
    ),
    ...Object.entries(type === 'object' ? rest : others).map(
      ([key, value]) => `arguments, ${nameInLine(key)}: ${JSON.stringify(value)}`,
    ),
  ]
}

/** Whether it says nothing but which of the keys it means. */
function isListOfKeys(value: JsonValue, keyed: JsonObject): value is string[] {
  if (!Array.isArray(value) || new Set(value).size < value.length) return false
  return value.every((name) => typeof name === 'string' && Object.hasOwn(keyed, name))
}

function nameInLine(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : JSON.stringify(name)
}
