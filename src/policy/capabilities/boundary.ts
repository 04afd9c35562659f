import type { Capability } from '../../core/capability.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { CAPABILITY_TREE, withPrerequisites } from './capability-tree.ts'

/** Watches what a running tool reaches for. */
export interface Boundary {
  /** Whether it lies inside; asking is no reaching. */
  readonly holds: (capability: Capability) => boolean
  /** Null lets it; an error is to be thrown in the tool's face. */
  readonly check: (capability: Capability) => ToolError | null
  /** The first thing it reached for in vain, so that a tool that swallows the error is stopped all the same. */
  readonly breach: () => ToolError | null
}

/** Draws the boundary around what a tool declared; whatever else is granted to tools does not widen it. */
export function createBoundary(tool: string, declared: readonly Capability[]): Boundary {
  const inside = withPrerequisites(declared)
  let first: ToolError | null = null
  return {
    holds: (capability) => inside.includes(capability),
    check(capability) {
      if (inside.includes(capability)) return null
      const message = `${tool} tried to ${CAPABILITY_TREE[capability].says} and has not declared ${capability}; it was stopped.`
      const error = toolError(
        'capability_denied',
        message,
        { reached_for: capability, declared: [...declared] },
        [`Whoever wrote ${tool} can have it declare ${capability}; nothing it did has been kept.`],
      )
      first ??= error
      return error
    },
    breach: () => first,
  }
}
