import type { ScriptedCall } from './corridor.ts'
import type { ShortRule } from './rule-bench.ts'

/** One batch, the turn and the pass it belongs to, and how each of its rows ends. */
export interface ScenarioStep {
  readonly turn: string
  readonly pass: string
  readonly afterSeconds?: number
  readonly calls: readonly (string | ScriptedCall)[]
  readonly rows: readonly string[]
}

/** A story that holds live, and just the same if the process is restarted before each step. */
export interface Scenario {
  readonly title: string
  readonly rules: readonly ShortRule[]
  readonly bareTools?: readonly string[]
  readonly steps: readonly ScenarioStep[]
}

export const NO = 'rule_violation'
export const failing = (tool: string): ScriptedCall => ({ tool, ends: 'execution_failed' })
export const late = (tool: string): ScriptedCall => ({ tool, ends: 'timeout' })
export const on = (
  turn: string,
  pass: string,
  calls: ScenarioStep['calls'],
  rows: readonly string[],
): ScenarioStep => ({
  turn,
  pass,
  calls,
  rows,
})
export const free: ShortRule = { tool: '*', type: 'NeverDedupe' }
