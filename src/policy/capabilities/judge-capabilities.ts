import type { Capability } from '../../core/capability.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { CAPABILITY_TREE, expandCapability, withPrerequisites } from './capability-tree.ts'

/** What a tool gets, or what it lacks. */
export type CapabilityVerdict =
  /** Exactly what it declared and what that needs; nothing else that happens to be granted. */
  | { readonly ok: true; readonly capabilities: readonly Capability[] }
  | { readonly ok: false; readonly missing: readonly Capability[]; readonly error: ToolError }

/** Judges what a tool declares against the words that are granted to tools. */
export function judgeCapabilities(
  tool: string,
  declared: readonly Capability[],
  granted: readonly string[],
): CapabilityVerdict {
  const wanted = withPrerequisites(declared)
  const given = new Set(granted.flatMap(expandCapability))
  const missing = wanted.filter((capability) => !given.has(capability))
  if (missing.length === 0) return { ok: true, capabilities: wanted }
  const wishes = missing.map((capability) => `${capability} (${CAPABILITY_TREE[capability].says})`)
  const message = `${tool} needs what it is not granted: ${wishes.join(', ')}.`
  const details = {
    missing: [...missing],
    declared: [...declared],
    granted: [...granted],
    needed_by: Object.fromEntries(
      missing.map((capability) => [capability, findReason(capability, declared)]),
    ),
    risk: Object.fromEntries(missing.map((capability) => [capability, CAPABILITY_TREE[capability].risk])),
  }
  const recovery = ['Use another tool, or have it granted in the configuration.']
  return { ok: false, missing, error: toolError('capability_denied', message, details, recovery) }
}

/** The declared capability for whose sake another is needed. */
function findReason(capability: Capability, declared: readonly Capability[]): Capability {
  if (declared.includes(capability)) return capability
  return declared.find((one) => withPrerequisites([one]).includes(capability)) ?? capability
}
