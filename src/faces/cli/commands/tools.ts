import type { ToolDefinition } from '../../../core/registry.ts'
import { createRegistry } from '../../../core/registry.ts'
import { loadRules } from '../../../runtime/load-rules.ts'
import { showTools } from '../../../runtime/shown-tools.ts'
import { builtInTools } from '../../../tools/built-in.ts'
import type { ParsedLine } from '../arguments.ts'
import { configure } from '../open.ts'
import type { Terminal } from '../terminal.ts'
import { safe } from '../terminal.ts'
import { UsageError } from '../trouble.ts'

/** `tongs tools [NAME]`: what can be called, sorted by name. */
export async function tools(line: ParsedLine, terminal: Terminal): Promise<number> {
  const registry = createRegistry(builtInTools)
  const { book } = loadRules(await configure(line, terminal), registry)
  const definitions = showTools(registry.definitions, book)
  const [name] = line.words
  const shown =
    name === undefined ? definitions : definitions.filter((definition) => definition.name === name)
  if (name !== undefined && shown.length === 0) {
    const meant = registry.nearest(name)
    throw new UsageError(
      `there is no tool ${JSON.stringify(name)}`,
      meant === null ? 'see tongs tools' : `did you mean ${meant}?`,
    )
  }
  if (line.has('--json')) terminal.json(shown)
  else
    for (const definition of shown)
      terminal.say(name === undefined ? oneLine(definition, terminal) : inFull(definition))
  return 0
}

function oneLine(definition: ToolDefinition, terminal: Terminal): string {
  const { name, effect, risk, description } = definition
  return `${terminal.colour('bold', name.padEnd(16))} ${effect.padEnd(8)} ${risk.padEnd(6)} ${safe(description)}`
}

function inFull(definition: ToolDefinition): string {
  const {
    name,
    version,
    description,
    effect,
    risk,
    capabilities,
    deterministic,
    idempotent,
    inputSchema,
    deprecated,
  } = definition
  const properties = Object.entries(
    (inputSchema['properties'] ?? {}) as Readonly<Record<string, { type?: unknown; description?: unknown }>>,
  )
  const required = new Set(inputSchema['required'] as readonly string[])
  const rows = properties.map(
    ([key, { type, description: says }]) =>
      `  ${key.padEnd(18)} ${String(type).padEnd(8)} ${required.has(key) ? 'required' : 'optional'}  ${String(says)}`,
  )
  const facts = `effect ${effect}, risk ${risk}, ${deterministic ? 'deterministic' : 'not deterministic'}, ${idempotent ? 'idempotent' : 'not idempotent'}, needs ${capabilities.join(', ')}`
  const warning =
    deprecated === null
      ? []
      : [`deprecated since ${deprecated.since}, removed in ${deprecated.removedIn}: use ${deprecated.use}`]
  return safe([`${name} ${version}`, description, facts, ...warning, 'arguments', ...rows].join('\n'))
}
