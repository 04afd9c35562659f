import type { ServerSetting } from '../config/kinds/servers-kind.ts'
import type { Clock } from '../core/clock.ts'
import { matchesName } from '../core/glob/match-name.ts'
import type { JsonObject } from '../core/json/value.ts'
import { SERVER_SEPARATOR } from '../core/registry.ts'
import type { PowersOf, Tool } from '../core/tool.ts'
import { anyObject, DIALECT, object, optional, string } from '../schema/schema.ts'
import { canonicalJson } from '../core/json/canonical.ts'
import { digest } from '../host/system/hash.ts'
import { defineTool } from '../tools/define/define-tool.ts'
import { fingerprint } from './definition.ts'
import type { Definition, RefusedTool } from './definition.ts'
import type { ForeignServer } from './foreign-server.ts'
import { readResult } from './read-result.ts'
import type { ForeignResult } from './read-result.ts'
import type { ServerConfinement } from './server-confinement.ts'
import { showProgress } from './show-progress.ts'

const LONGEST_NAME = 64
const SUMMARY_CHARS = 300
const VERSION_CHARS = 32
const ONLY_AS_NOW =
  'whatever its arguments, as long as its definition and the entry of its server stay as they are'

/** A server with the definitions that were trusted. */
export interface TrustedServer {
  readonly name: string
  readonly setting: ServerSetting
  readonly server: ForeignServer
  readonly clock: Clock
  readonly definitions: readonly Definition[]
  /** Values of its entry that are not to be shown. */
  readonly secrets: readonly string[]
  readonly confinement: ServerConfinement
}

const outputSchema = object(
  {
    text: string('What the server answered, as text.'),
    structured: optional(anyObject('What the server answered, by its own schema.')),
    sandbox: optional(string('What confines the server, if that is not the command sandbox.')),
  },
  'The result of a foreign tool.',
)

/** The tools of a server for the registry. Names that are taken, and names that become the same, are refused. */
export function foreignTools(
  trusted: TrustedServer,
  isTaken: (name: string) => boolean,
): { readonly tools: readonly Tool[]; readonly refused: readonly RefusedTool[] } {
  const refused: RefusedTool[] = []
  const used = trusted.definitions.filter(({ name }) => isUsed(name, trusted.setting))
  const byName = Map.groupBy(used, ({ name }) => nameOf(trusted.name, name))
  const tools = [...byName].flatMap(([name, [definition, ...others]]) => {
    if (definition === undefined) return []
    if (others.length > 0 || isTaken(name)) {
      const why =
        others.length > 0
          ? `${others.length + 1} tools would be called ${name}`
          : `there is a tool ${name} already`
      refused.push({ name: definition.name, why })
      return []
    }
    return [createTool(name, definition, trusted)]
  })
  return { tools, refused }
}

/** Whether the entry of a server asks for a tool. */
export function isUsed(tool: string, { tools }: Pick<ServerSetting, 'tools'>): boolean {
  return tools.some((pattern) => matchesName(pattern, tool))
}

/** What a tool is called here: only letters, digits, - and _, which every model provider accepts. */
export function nameOf(server: string, tool: string): string {
  return `${server}${SERVER_SEPARATOR}${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, LONGEST_NAME)
}

/** The server that a tool belongs to, by what the tool is called here: names of servers have no separator in them. */
export function serverOf(tool: string): string {
  const [server = ''] = tool.split(SERVER_SEPARATOR, 1)
  return server
}

function createTool(name: string, definition: Definition, trusted: TrustedServer): Tool {
  const { name: from, setting, server } = trusted
  const { effect } = setting
  const { label, isUsual } = trusted.confinement
  const facts = {
    name,
    version: versionOf(definition, trusted),
    description: `From the MCP server ${from}, not part of Tongs. ${definition.description}`.trim(),
    input: anyObject('The arguments, by the schema of the server.'),
    output: outputSchema,
    capabilities: ['network.connect'] as const,
    limits: { maxExecutionTimeMs: setting.timeout_seconds * 1000 },
    usual: { says: ONLY_AS_NOW, includes: () => true },
    summary: (args: JsonObject) => `${name} ${JSON.stringify(args)}`.slice(0, SUMMARY_CHARS),
    present: { text: presentResult, mayTruncate: true },
  }
  const run = async (args: JsonObject, powers: PowersOf['read' | 'external']): Promise<ForeignResult> => {
    const raw = await server.call(definition, {
      args,
      idempotencyKey: 'idempotencyKey' in powers ? powers.idempotencyKey : powers.executionId,
      signal: powers.signal,
      timeoutMs: powers.timeoutMs,
      onProgress: showProgress(powers, trusted),
      mayAct: effect !== 'read',
    })
    const result = readResult(raw, definition, powers.maxOutputBytes)
    return isUsual || label === null ? result : { ...result, sandbox: label }
  }
  const tool =
    effect === 'read' ? defineTool({ ...facts, effect, run }) : defineTool({ ...facts, effect, run })
  // Our own schemas have to describe every part of themselves; those of others only have to compile.
  return {
    ...tool,
    inputSchema: { $schema: DIALECT, ...definition.inputSchema },
    foreign: { confinement: label },
  }
}

/**
 * A version that changes with all that a yes is about: the definition that was trusted, what the entry of the server
 * starts or names, and what confines it. Values of variables and headers may be secrets, so only their names count.
 */
function versionOf(definition: Definition, { setting, confinement }: TrustedServer): string {
  const { command, args, url, read, write, network, effect, env, headers } = setting
  const entry = { command, args, url, read, write, network, effect, env: env.names, headers: headers.names }
  const all = canonicalJson({ tool: fingerprint(definition), ...entry, confinement: confinement.label })
  return `1.0.0+${digest(all).slice(0, VERSION_CHARS)}`
}

function presentResult({ text, structured, sandbox }: ForeignResult): string {
  const shown = text === '' && structured !== undefined ? JSON.stringify(structured, null, 2) : text
  return sandbox === undefined ? shown : `${shown}\n[sandbox of the server: ${sandbox}]`
}
