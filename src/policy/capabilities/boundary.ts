import type { Capability } from '../../core/capability.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { bitsWithPrerequisites, CAPABILITY_TREE, hasBit } from './capability-tree.ts'
import type { CapabilityBits } from './capability-tree.ts'

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
  return new DrawnBoundary(tool, declared)
}

/** A class, because one is drawn around every call. */
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
    const message = `${tool} tried to ${CAPABILITY_TREE[capability].action} and has not declared ${capability}; it was stopped.`
    const error = toolError(
      'capability_denied',
      message,
      { reached_for: capability, declared: [...this.#declared] },
      [`Whoever wrote ${tool} can have it declare ${capability}; nothing it did has been kept.`],
    )
    this.#first ??= error
    return error
  }

  breach(): ToolError | null {
    return this.#first
  }
}
