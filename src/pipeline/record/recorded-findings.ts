import type { GateRecord } from '../../journal/entries/entry.ts'
import { externalGates } from '../../policy/external/external-gate.ts'
import type { Step } from '../plan/plan.ts'

/** What the gates found, as it is kept: what programs of the user's own said stands there as data, beside the words. */
export function recordedFindings({
  facts,
  judgement,
}: Pick<Step, 'facts' | 'judgement'>): readonly GateRecord[] {
  const { findings } = judgement
  if (facts.gates === null) return findings
  const answers = facts.gates.map(({ gate, verdict }) => ({ gate, verdict }))
  return findings.map((finding) => (finding.gate === externalGates.name ? { ...finding, answers } : finding))
}
