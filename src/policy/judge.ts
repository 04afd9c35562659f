import type { Settings } from '../config/keys.ts'
import { ERRORS } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import type { Grant } from '../core/grant.ts'
import type { CallFacts } from './facts.ts'
import { GATES } from './gates/gates.ts'
import type { Gate } from './gates/gate.ts'

/** The gate that stands for people's answers in a call's record. */
export const APPROVAL_GATE = 'approval'

/** What one gate looked at and said. */
export interface GateFinding {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
  /** The id of the grant that kept it from asking. */
  readonly grant?: string
}

/** The sum of all gates: run, ask first, or an error that ends the call. */
export interface Judgement {
  readonly verdict: 'run' | 'ask' | 'settle'
  /** Whether the arguments had passed the input schema when this was said. */
  readonly isValidated: boolean
  readonly error: ToolError | null
  readonly findings: readonly GateFinding[]
  /** The grant but for which a person would have been asked; none where absent. */
  readonly grant?: Grant
}

/** Passes the facts through the gates in order; the first that settles ends it, and then nobody is asked. */
export function judge(facts: CallFacts, settings: Settings, gates: readonly Gate[] = GATES): Judgement {
  const findings: GateFinding[] = []
  const before = latest
  let mustAsk = false
  let grant: Grant | undefined
  let isValidated = false
  for (const gate of gates) {
    const verdict = gate.judge(facts, settings)
    if (verdict.is === 'settle') {
      findings.push({ gate: gate.name, fact: verdict.fact, verdict: refusalOf(verdict.error) })
      return { verdict: 'settle', isValidated, error: verdict.error, findings }
    }
    mustAsk ||= verdict.is === 'ask'
    isValidated ||= gate.validates === true
    const relied = verdict.is === 'pass' ? verdict.grant : undefined
    grant ??= relied
    findings.push(findingOf(before[findings.length], gate.name, verdict.fact, verdict.is, relied?.id))
  }
  const verdict = mustAsk ? 'ask' : 'run'
  const judgement: Judgement = { verdict, isValidated, error: null, findings: listOf(findings) }
  return grant === undefined ? judgement : { ...judgement, grant }
}

/** What was found last. Gates say of most calls what they said of the one before, and what they say is kept for good. */
let latest: readonly GateFinding[] = []

/** The same object for what the same gate said before. */
function findingOf(
  last: GateFinding | undefined,
  gate: string,
  fact: string,
  verdict: 'pass' | 'ask',
  grant: string | undefined,
): GateFinding {
  const isSame = last !== undefined && last.gate === gate && last.fact === fact
  if (isSame && last.verdict === verdict && last.grant === grant) return last
  return grant === undefined ? { gate, fact, verdict } : { gate, fact, verdict, grant }
}

/** The same list for the same findings. */
function listOf(findings: readonly GateFinding[]): readonly GateFinding[] {
  const isSame = findings.length === latest.length && findings.every((finding, at) => finding === latest[at])
  if (!isSame) latest = findings
  return latest
}

/** Whether an error means that somebody said no, or that the call could not be done. */
export function refusalOf({ code }: ToolError): 'deny' | 'fail' {
  const { exit } = ERRORS[code]
  return exit === 3 || exit === 4 ? 'deny' : 'fail'
}
