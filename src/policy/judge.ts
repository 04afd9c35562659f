import type { Settings } from '../config/keys.ts'
import { ERRORS } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import type { CallFacts } from './facts.ts'
import { GATES } from './gates.ts'
import type { Gate } from './gate.ts'

/** The gate that stands for people's answers in a call's record. */
export const APPROVAL_GATE = 'approval'

/** What one gate looked at and said. */
export interface GateFinding {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
}

/** The sum of all gates: run, ask first, or an error that ends the call. */
export interface Judgement {
  readonly verdict: 'run' | 'ask' | 'settle'
  /** Whether the arguments had passed the input schema when this was said. */
  readonly isValidated: boolean
  readonly error: ToolError | null
  readonly findings: readonly GateFinding[]
}

/** Passes the facts through the gates in order; the first that settles ends it, and then nobody is asked. */
export function judge(facts: CallFacts, settings: Settings, gates: readonly Gate[] = GATES): Judgement {
  const findings: GateFinding[] = []
  let mustAsk = false
  let isValidated = false
  for (const gate of gates) {
    const verdict = gate.judge(facts, settings)
    if (verdict.is === 'settle') {
      findings.push({ gate: gate.name, fact: verdict.fact, verdict: refusalOf(verdict.error) })
      return { verdict: 'settle', isValidated, error: verdict.error, findings }
    }
    mustAsk ||= verdict.is === 'ask'
    isValidated ||= gate.validates === true
    findings.push(findingOf(gate.name, verdict.fact, verdict.is))
  }
  return { verdict: mustAsk ? 'ask' : 'run', isValidated, error: null, findings }
}

const SHARED_MOST = 256
const shared = new Map<string, Map<string, GateFinding>>()

/** Gates say the same of most calls; findings that are kept for good are then one and the same object. */
function findingOf(gate: string, fact: string, verdict: 'pass' | 'ask'): GateFinding {
  let known = shared.get(gate)
  if (known === undefined) shared.set(gate, (known = new Map()))
  const same = known.get(fact)
  if (same !== undefined && same.verdict === verdict) return same
  const finding = { gate, fact, verdict }
  if (known.size >= SHARED_MOST) known.clear()
  known.set(fact, finding)
  return finding
}

/** Whether an error means that somebody said no, or that the call could not be done. */
export function refusalOf({ code }: ToolError): 'deny' | 'fail' {
  const { exit } = ERRORS[code]
  return exit === 3 || exit === 4 ? 'deny' : 'fail'
}
