import type { ToolCall } from '../../../../src/core/call.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './acknowledged.ts'
import type { World } from './world.ts'

/** Something that is done to a world, to be interrupted at any moment. */
export interface Stage {
  readonly name: string
  /** Brings a world with nothing but its files to where the stage begins. */
  readonly lay: (world: World, calls: readonly ToolCall[]) => Promise<void>
  readonly act: (
    runtime: Runtime,
    calls: readonly ToolCall[],
    tell: (ack: readonly Acknowledged[]) => void,
    world: World,
  ) => Promise<void>
  readonly approve?: 'later'
  /** It closes the runtime itself. */
  readonly endsRuntime?: true
  /** The same on the command line, with the calls on stdin. */
  readonly argv: readonly string[]
}
