import type { CallMeta } from '../core/call.ts'
import type { Phase, ToolError } from '../core/error.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Tool } from '../core/tool.ts'
import type { KeyLines } from '../core/text/secrets/key-lines.ts'
import type { GateRecord, SeenFile } from '../journal/entries/entry.ts'
import { externalGates } from '../policy/external/external-gate.ts'
import type { CallFacts } from '../policy/facts.ts'
import { APPROVAL_GATE, refusalOf } from '../policy/judge.ts'
import type { GateFinding, Judgement } from '../policy/judge.ts'
import type { RuleState } from '../policy/rules/rule-state.ts'

/** A call as it was received: what could be read of it, and what is wrong with its envelope. */
export interface Received {
  readonly execution: string
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly meta: CallMeta
  /** Requested with `request_heartbeat`, which belongs to the pipeline and not to the tool's arguments. */
  readonly wantsContinuation: boolean
  readonly envelope: readonly string[]
  /** Problems that the scan found in the arguments. */
  readonly problems: readonly string[]
  readonly onRecord: RecordedArguments
  /** What was put right in the arguments, as sentences for the model. */
  readonly corrections?: readonly string[]
  /** Set if the batch contains this call more often than it may fail in the same way. */
  readonly isRepeated?: boolean
  readonly isFenced?: boolean
}

/** The arguments as recorded: equal arguments have the same text and digest. */
export interface RecordedArguments {
  readonly digest: string
  readonly text: string
  readonly bytes: number
}

/** What makes a call the same as another of its tool: its arguments as they were received, and its working folder. */
export function repeatKey(digest: string, { cwd }: CallMeta): string {
  return cwd === undefined ? digest : `${digest} in ${cwd}`
}

/** A call with the judgement of the gates. */
export interface Step {
  readonly call: Received
  readonly tool: Tool | null
  readonly facts: CallFacts
  readonly judgement: Judgement
  /** How far the call had come when it was settled; if absent, it had not started. */
  readonly phase?: Phase
  /** Set if its preview settled it: the files that its error shows count as seen, without the keys in them. */
  readonly shows?: { readonly seen: readonly SeenFile[]; readonly findKeyLines?: KeyLines['find'] }
  /** The rule history it was judged on; null if no rule looked back. */
  readonly basis?: RuleState | null
}

/** Settles a call with an error that was found after the gates had judged. */
export function refuse(step: Step, error: ToolError, gate = APPROVAL_GATE, phase: Phase = 'before'): Step {
  const found = withFinding(step, { gate, fact: error.message, verdict: refusalOf(error) })
  const shown = error.code === 'approval_denied' ? withPermission(error, step) : error
  return { ...found, phase, judgement: { ...found.judgement, verdict: 'settle', error: shown } }
}

/** Adds which permission was missing if a rule requires consent: for which tool, and for what. */
function withPermission(error: ToolError, { call, facts }: Step): ToolError {
  const decision = facts.rules?.decision
  const [wanted] = decision?.is === 'open' ? decision.consents : []
  if (wanted === undefined) return error
  return { ...error, details: { ...error.details, tool: call.name, scope: wanted.scope } }
}

/** Adds a finding to a call's record. */
export function withFinding(step: Step, finding: GateFinding): Step {
  return { ...step, judgement: { ...step.judgement, findings: [...step.judgement.findings, finding] } }
}

/** The findings of the gates as they are recorded; the answers of external gates are added as data. */
export function recordedFindings({
  facts,
  judgement,
}: Pick<Step, 'facts' | 'judgement'>): readonly GateRecord[] {
  const { findings } = judgement
  if (facts.gates === null) return findings
  const answers = facts.gates.map(({ gate, verdict }) => ({ gate, verdict }))
  return findings.map((finding) => (finding.gate === externalGates.name ? { ...finding, answers } : finding))
}
