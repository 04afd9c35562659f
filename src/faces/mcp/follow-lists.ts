import type { OwnCommands } from '../../runtime/commands/own-command.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { toMcpTool } from '../../wire/mcp/tool-shape.ts'
import type { McpTool } from '../../wire/mcp/tool-shape.ts'
import { followList } from './list-changes.ts'
import { listPrompts } from './prompts.ts'

/** The lists of a client, or of several that are told together. */
export interface Lists {
  readonly listTools: () => Promise<readonly McpTool[]>
  readonly listPrompts: () => ReturnType<typeof listPrompts>
  /** Looks whether they are still those that the client has, after a call of it. */
  readonly look: () => void
  readonly close: () => void
}

/** Where changes are told. */
export interface ListNews {
  readonly isShared: boolean
  readonly tellTools: () => void
  readonly tellPrompts: () => void
}

/** The least time between two looks at the files of prompts. */
const PROMPTS_REST_MS = 1000

/**
 * Follows the tools, which change with what is trusted of other servers, and the prompts, which are files. Prompts are
 * looked at when a client makes a call, and not while it rests: that may last for days.
 */
export function followLists(
  {
    runtime,
    commands,
  }: { readonly runtime: Pick<Runtime, 'offered' | 'servers'>; readonly commands: () => OwnCommands },
  { isShared, tellTools, tellPrompts }: ListNews,
): Lists {
  const tools = followList(() => runtime.offered().map(toMcpTool), { tell: tellTools, isShared, restMs: 0 })
  const prompts = followList(() => listPrompts(commands()), {
    tell: tellPrompts,
    isShared,
    restMs: PROMPTS_REST_MS,
  })
  let listing = 0
  const close = runtime.servers.follow(() => {
    // Whoever is just asking is given the new list by that.
    if (listing === 0 || isShared) tools.look()
  })
  return {
    async listTools() {
      listing += 1
      try {
        await runtime.servers.look()
        return tools.list()
      } finally {
        listing -= 1
      }
    },
    listPrompts: prompts.list,
    look: prompts.look,
    close,
  }
}

/** How often the files are looked at that say which servers are used and trusted. */
const LOOK_MS = 1000

/** Takes over what is added, removed or trusted of other servers while clients are connected; returns what ends that. */
export function keepLooking({ servers }: Pick<Runtime, 'servers'>): () => void {
  // What cannot be read now is read by a later look.
  const timer = setInterval(() => void servers.look().catch(() => undefined), LOOK_MS).unref()
  return () => clearInterval(timer)
}
