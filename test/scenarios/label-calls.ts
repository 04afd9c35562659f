import type { ToolCall } from '../../src/core/call.ts'
import type { ScenarioCall } from './scenario.ts'

/** The calls of one message, each with a label. */
export function labelCalls(calls: readonly ScenarioCall[]): readonly ToolCall[] {
  return calls.map((call, at) => ({ id: `c${at + 1}`, ...call }))
}
