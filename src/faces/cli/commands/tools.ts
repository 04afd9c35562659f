import type { ToolDefinition } from '../../../core/registry.ts'
import { advertise, checkAdvertised, showTools } from '../../../runtime/configure/advertise.ts'
import { openToShow } from '../../../runtime/servers/open-servers.ts'
import { registerTools } from '../../../runtime/servers/register-tools.ts'
import { loadRules } from '../../../runtime/configure/load-rules.ts'
import { builtInTools, isBuiltIn } from '../../../tools/built-in.ts'
import type { ParsedLine } from '../arguments.ts'
import { configure } from '../open.ts'
import type { Terminal } from '../terminal.ts'
import { safe, safeWords } from '../terminal.ts'
import { NotFoundError } from '../errors.ts'

/** `tongs tools [NAME]`: the tools, sorted by name. */
export async function tools(line: ParsedLine, terminal: Terminal): Promise<number> {
  const configuration = await configure(line, terminal)
  const { settings, origin, stateDir } = configuration
  const servers = await openToShow(settings, stateDir)
  const { registry, later } = await registerTools(settings, builtInTools, servers)
  checkAdvertised(settings, origin['tools.advertise'], registry)
  const { book } = loadRules(configuration, registry)
  const definitions = showTools(registry.definitions, book)
  const [name] = line.words
  const shown =
    name === undefined ? definitions : definitions.filter((definition) => definition.name === name)
  if (name !== undefined && shown.length === 0) {
    const meant = registry.nearest(name)
    throw new NotFoundError(
      `there is no tool ${JSON.stringify(name)}`,
      meant === null ? 'see tongs tools' : `did you mean ${meant}?`,
    )
  }
  const advertised = new Set(
    advertise(settings, definitions, { isBuiltIn, later }).map((definition) => definition.name),
  )
  if (line.has('--json'))
    terminal.json(shown.map((definition) => ({ ...definition, advertised: advertised.has(definition.name) })))
  else
    for (const definition of shown) {
      const isAdvertised = advertised.has(definition.name)
      terminal.print(
        name === undefined ? oneLine(definition, isAdvertised, terminal) : inFull(definition, isAdvertised),
      )
    }
  if (name === undefined && !line.has('--json'))
    terminal.print('* shown to the model (tools.advertise); the others can still be called')
  return 0
}

function oneLine(definition: ToolDefinition, isAdvertised: boolean, terminal: Terminal): string {
  const { name, effect, risk, description } = definition
  return `${terminal.paint('bold', name.padEnd(16))} ${isAdvertised ? '*' : ' '} ${effect.padEnd(8)} ${risk.padEnd(6)} ${safeWords(description)}`
}

function inFull(definition: ToolDefinition, isAdvertised: boolean): string {
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
  const facts = `effect ${effect}, risk ${risk}, ${deterministic ? 'deterministic' : 'not deterministic'}, ${idempotent ? 'idempotent' : 'not idempotent'}, needs ${capabilities.join(', ')}, ${isAdvertised ? 'shown to a model' : 'not shown to a model'}`
  const warning =
    deprecated === null
      ? []
      : [`deprecated since ${deprecated.since}, removed in ${deprecated.removedIn}: use ${deprecated.use}`]
  return safe([`${name} ${version}`, description, facts, ...warning, 'arguments', ...rows].join('\n'))
}
