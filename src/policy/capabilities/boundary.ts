import type { Capability } from '../../core/capability.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { CAPABILITY_TREE, withPrerequisites } from './capability-tree.ts'

/** Watches what a running tool reaches for. */
export interface Boundary {
  /** Null lets it; an error is to be thrown in the tool's face. */
  readonly check: (capability: Capability) => ToolError | null
  /** The first thing it reached for in vain, so that a tool that swallows the error is stopped all the same. */
  readonly breach: () => ToolError | null
}

/** Draws the boundary around what a tool declared; whatever else is granted to tools does not widen it. */
export function createBoundary(tool: string, declared: readonly Capability[]): Boundary {
  const inside: ReadonlySet<Capability> = new Set(withPrerequisites(declared))
  let first: ToolError | null = null
  return {
    check(capability) {
      if (inside.has(capability)) return null
      const message = `${tool} tried to ${CAPABILITY_TREE[capability].says} and has not declared ${capability}; it was stopped.`
      const error = toolError('capability_denied', message, {
        reached_for: capability,
        declared: [...declared],
      })
      first ??= error
      return error
    },
    breach: () => first,
  }
}
