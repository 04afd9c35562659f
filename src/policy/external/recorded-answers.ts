import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import type { GateAnswer } from './gate-answer.ts'

const WORDS = [
  ['deny', 'deny'],
  ['no answer', 'deny'],
  ['ask', 'ask'],
] as const satisfies readonly (readonly [string, GateAnswer['verdict']])[]

/** What gates had said of a call, read off the fact on record; one that was not asked then is taken to have abstained. */
export function readRecordedAnswers(gates: readonly GateSetting[], fact: string): readonly GateAnswer[] {
  return gates.map(({ name: gate }) => {
    const said = WORDS.find(([word]) => `; ${fact}`.includes(`; ${gate}: ${word}`))
    return { gate, verdict: said?.[1] ?? 'abstain', say: 'as recorded', fault: null }
  })
}
