import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import { isJsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import { isWaiting } from '../../../wire/acp/tool-shape.ts'

type CallUpdate = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call_update' }>
type Meta = Readonly<Record<string, unknown>>

/**
 * The commands that an editor shows as terminals. They run here as ever, in the sandbox and on a layer; the editor draws
 * what they write. Zed has it so, and says with `_meta.terminal_output` that it does.
 */
export class ShownTerminals {
  readonly #open = new Set<string>()

  /** Shows a call as a terminal from now on; returns what its first message needs for that. */
  open(execution: string, cwd: string): { readonly content: ToolCallContent[]; readonly meta: Meta } {
    this.#open.add(execution)
    return { content: [terminal(execution)], meta: { terminal_info: { terminal_id: execution, cwd } } }
  }

  has(execution: string): boolean {
    return this.#open.has(execution)
  }

  /** A piece of what it wrote. */
  output(execution: string, data: string): CallUpdate {
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId: execution,
      _meta: { terminal_output: { terminal_id: execution, data } },
    }
  }

  /** Its result: the terminal stays beside the diffs, in place of its text. A command that never ran has none to show. */
  end(update: CallUpdate, result: ToolResult, hasRun: boolean): CallUpdate {
    const { id } = result.execution
    if (!this.#open.has(id) || isWaiting(result)) return update
    this.#open.delete(id)
    if (!hasRun) return update
    const { content, _meta: meta } = update
    const others = (content ?? []).filter(({ type }) => !result.ok || type !== 'content')
    const exit = { terminal_id: id, exit_code: exitCodeOf(result), signal: null }
    return { ...update, content: [terminal(id), ...others], _meta: { ...meta, terminal_exit: exit } }
  }
}

function terminal(terminalId: string): ToolCallContent {
  return { type: 'terminal', terminalId }
}

function exitCodeOf(result: ToolResult): number | null {
  const details: unknown = result.ok ? result.result : result.error.details
  const code = isJsonObject(details) ? details['exit_code'] : undefined
  return typeof code === 'number' ? code : result.ok ? 0 : null
}
