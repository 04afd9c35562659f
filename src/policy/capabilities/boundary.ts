import type { Capability } from '../../core/capability.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { bitsWithPrerequisites, CAPABILITY_TREE, hasBit } from './capability-tree.ts'
import type { CapabilityBits } from './capability-tree.ts'

/** Watches which capabilities a running tool uses. */
export interface Boundary {
  /** Whether a capability is inside the boundary; unlike `check`, asking is not recorded. */
  readonly holds: (capability: Capability) => boolean
  /** Null if allowed; otherwise the error to throw to the tool. */
  readonly check: (capability: Capability) => ToolError | null
  /** The first undeclared capability it tried to use, so that a tool that swallows the error is stopped anyway. */
  readonly breach: () => ToolError | null
}

/** Creates the boundary around what a tool declared; other granted capabilities do not widen it. */
export function createBoundary(tool: string, declared: readonly Capability[]): Boundary {
  return new DrawnBoundary(tool, declared)
}

/** A class, because one is created for every call. */
class DrawnBoundary implements Boundary {
  readonly #tool: string
  readonly #declared: readonly Capability[]
  readonly #inside: CapabilityBits
  #first: ToolError | null = null

  constructor(tool: string, declared: readonly Capability[]) {
    this.#tool = tool
    this.#declared = declared
    this.#inside = bitsWithPrerequisites(declared)
  }

  holds(capability: Capability): boolean {
    return hasBit(this.#inside, capability)
  }

  check(capability: Capability): ToolError | null {
    if (this.holds(capability)) return null
    const tool = this.#tool
    const message = `${tool} tried to ${CAPABILITY_TREE[capability].action} without declaring ${capability}, so it was stopped.`
    const error = toolError(
      'capability_denied',
      message,
      { reached_for: capability, declared: [...this.#declared] },
      [`The author of ${tool} has to declare ${capability}; nothing it did was kept.`],
    )
    this.#first ??= error
    return error
  }

  breach(): ToolError | null {
    return this.#first
  }
}
