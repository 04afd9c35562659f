import { isCapability } from '../../core/capability.ts'
import type { Capability } from '../../core/capability.ts'
import { defineTool } from './define-tool.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Effect, PowersOf, Tool, ToolLimits } from '../../core/tool.ts'

/** A tool described as plain data, the form in which other systems provide them. */
export interface ToolDeclaration {
  readonly id: string
  readonly version: string
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly requiredCapabilities: readonly string[]
  readonly resourceLimits: {
    readonly maxExecutionTime?: number
    readonly maxMemory?: number
    readonly maxFileSize?: number
  }
  readonly deterministic: boolean
  readonly idempotent: boolean
}

const FIELDS = [
  'id',
  'version',
  'name',
  'description',
  'inputSchema',
  'outputSchema',
  'requiredCapabilities',
  'resourceLimits',
  'deterministic',
  'idempotent',
] as const satisfies readonly (keyof ToolDeclaration)[]

/** Creates a tool from a declaration and its code; if a field is missing, the error names it. */
export function fromDeclaration(
  declaration: ToolDeclaration,
  run: (args: JsonObject, powers: PowersOf[Effect]) => unknown,
): Tool {
  const missing = FIELDS.filter((field) => declaration[field] === undefined)
  if (missing.length > 0)
    throw new TypeError(
      `tool declaration ${JSON.stringify(declaration.id ?? '')} lacks ${missing.join(', ')}`,
    )
  const unknown = declaration.requiredCapabilities.find((word) => !isCapability(word))
  if (unknown !== undefined)
    throw new TypeError(
      `tool declaration ${JSON.stringify(declaration.id)} asks for the unknown capability ${JSON.stringify(unknown)}`,
    )
  const capabilities = declaration.requiredCapabilities.filter(isCapability)
  return defineTool({
    name: declaration.id,
    title: declaration.name,
    version: declaration.version,
    description: declaration.description,
    effect: effectFor(capabilities),
    input: declaration.inputSchema,
    output: declaration.outputSchema,
    capabilities,
    limits: limitsOf(declaration.resourceLimits),
    deterministic: declaration.deterministic,
    idempotent: declaration.idempotent,
    run: (args: JsonObject, powers) => run(args, powers),
  })
}

/** The weakest effect that gives a tool the powers it asks for. */
function effectFor(capabilities: readonly Capability[]): Effect {
  if (capabilities.some((word) => word.startsWith('network.'))) return 'external'
  if (capabilities.some((word) => word.startsWith('process.') || word === 'filesystem.execute'))
    return 'spawn'
  if (capabilities.some((word) => word === 'filesystem.write' || word === 'filesystem.delete')) return 'edit'
  return 'read'
}

function limitsOf(limits: ToolDeclaration['resourceLimits']): ToolLimits {
  return {
    ...(limits.maxExecutionTime === undefined ? {} : { maxExecutionTimeMs: limits.maxExecutionTime }),
    ...(limits.maxMemory === undefined ? {} : { maxMemoryBytes: limits.maxMemory }),
    ...(limits.maxFileSize === undefined ? {} : { maxFileBytes: limits.maxFileSize }),
  }
}
