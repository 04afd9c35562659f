import { nearest } from './text/nearest.ts'
import type { Tool } from './tool.ts'
import { findRemovalFault, findTimelineFault, parseVersion } from './version.ts'
import type { Removal } from './version.ts'
import type { JsonObject } from './json/value.ts'

/** The tool that finds tools which a model is not told about from the start. */
export const SEARCH_TOOLS = 'search_tools'

/** What separates the name of an MCP server from that of its tool; no other tool has it. */
export const SERVER_SEPARATOR = '__'

/** The public definition of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly effect: string
  readonly risk: string
  readonly capabilities: readonly string[]
  readonly limits: JsonObject
  readonly deterministic: boolean
  readonly idempotent: boolean
  readonly requiresApproval: boolean
  /** How to use it well, for the instructions of a model. */
  readonly guide: string | null
  /** Arguments that models are not told about. */
  readonly rare: readonly string[]
  /** Whether only a conversation with a model can carry its calls out. */
  readonly converses: boolean
  readonly deprecated: { readonly since: string; readonly use: string; readonly removedIn: string } | null
}

/** All tools of a runtime, by name. */
export interface Registry {
  readonly find: (name: string) => Tool | null
  readonly names: readonly string[]
  readonly definitions: readonly ToolDefinition[]
  /** The names for someone who looks for a tool: without those that a search finds. */
  readonly listed: readonly string[]
  /** What to do about a name that no tool has, as sentences. */
  readonly advise: (name: string) => readonly string[]
  /** The known name closest to a mistyped one, or null. */
  readonly nearest: (name: string) => string | null
  /** What to use instead of a tool that was removed, or null. */
  readonly successor: (name: string) => string | null
}

/** What a registry is told beside its tools. */
export interface RegistryOptions {
  readonly removals?: readonly Removal[]
  /** Tools that are found by a search instead of in a list. */
  readonly unlisted?: ReadonlySet<string>
  /** Tools that nobody is shown; a call of one by its name says why. */
  readonly withheld?: ReadonlySet<string>
  readonly advise?: Registry['advise']
}

/** Collects tools; a second tool of the same name is refused. */
export function createRegistry(tools: Iterable<Tool>, options: RegistryOptions = {}): Registry {
  const { removals = [], unlisted, withheld, advise = () => [] } = options
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw new TypeError(
        `DuplicateTool: a tool named ${JSON.stringify(tool.name)} is already registered; rename one of them`,
      )
    const fault = findDeprecationFault(tool)
    if (fault !== null) throw new TypeError(`tool ${JSON.stringify(tool.name)}: ${fault}`)
    byName.set(tool.name, tool)
  }
  for (const removal of removals) {
    const fault = findRemovalFault(removal)
    if (fault !== null) throw new TypeError(`removed tool ${JSON.stringify(removal.name)}: ${fault}`)
  }
  const names = [...byName.keys()].toSorted()
  let definitions: readonly ToolDefinition[] | null = null
  return {
    find: (name) => byName.get(name) ?? null,
    names,
    listed: names.filter((name) => unlisted?.has(name) !== true && withheld?.has(name) !== true),
    advise,
    get definitions() {
      definitions ??= names.flatMap((name) => {
        const tool = withheld?.has(name) === true ? undefined : byName.get(name)
        return tool === undefined ? [] : [defineForOutside(tool)]
      })
      return definitions
    },
    nearest: (name) =>
      names.find((one) => byName.get(one)?.slips.tool?.includes(name.toLowerCase())) ?? nearest(name, names),
    successor: (name) => removals.find((removal) => removal.name === name)?.use ?? null,
  }
}

function findDeprecationFault(tool: Tool): string | null {
  if (tool.deprecated === null) return null
  const { since, use, removedIn } = tool.deprecated
  if (use.trim() === '') return 'a deprecated tool must say what to use instead'
  const timeline = findTimelineFault(since, removedIn)
  if (timeline !== null) return timeline
  const now = parseVersion(tool.version)
  const end = parseVersion(removedIn)
  if (now !== null && end !== null && now.major >= end.major) {
    return `version ${tool.version} should no longer have it: it was due to be removed in ${removedIn}`
  }
  return null
}

function defineForOutside(tool: Tool): ToolDefinition {
  return {
    name: tool.name,
    version: tool.version,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    effect: tool.effect,
    risk: tool.risk,
    capabilities: tool.capabilities,
    limits: { ...tool.limits },
    deterministic: tool.deterministic,
    idempotent: tool.idempotent,
    requiresApproval: tool.alwaysRequiresApproval,
    deprecated: tool.deprecated,
    guide: tool.guide,
    rare: tool.rare,
    converses: tool.converses,
  }
}
