import type { Settings } from '../config/keys.ts'
import type { ToolError } from '../core/error.ts'
import type { CallFacts } from './facts.ts'
import { GATES } from './gates.ts'
import type { Gate } from './gates.ts'

/** What one gate looked at and said. */
export interface GateFinding {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
}

/** The sum of all gates: run, ask first, or an error that ends the call. */
export interface Judgement {
  readonly verdict: 'run' | 'ask' | 'settle'
  readonly error: ToolError | null
  readonly findings: readonly GateFinding[]
}

const REFUSALS: ReadonlySet<string> = new Set([
  'bad_args',
  'unknown_tool',
  'duplicate_tool_call_id',
  'limit_exceeded',
  'patch_failed',
])

/** Passes the facts through the gates in order; the first that settles ends it, and then nobody is asked. */
export function judge(facts: CallFacts, settings: Settings, gates: readonly Gate[] = GATES): Judgement {
  const findings: GateFinding[] = []
  let mustAsk = false
  for (const gate of gates) {
    const verdict = gate.judge(facts, settings)
    if (verdict.is === 'settle') {
      findings.push({
        gate: gate.name,
        fact: verdict.fact,
        verdict: REFUSALS.has(verdict.error.code) ? 'fail' : 'deny',
      })
      return { verdict: 'settle', error: verdict.error, findings }
    }
    mustAsk ||= verdict.is === 'ask'
    findings.push({ gate: gate.name, fact: verdict.fact, verdict: verdict.is })
  }
  return { verdict: mustAsk ? 'ask' : 'run', error: null, findings }
}
