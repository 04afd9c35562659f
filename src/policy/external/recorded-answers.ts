import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import type { GateAnswer, RecordedAnswer } from './gate-answer.ts'

const WORDS = [
  ['deny', 'deny'],
  ['no answer', 'deny'],
  ['ask', 'ask'],
] as const satisfies readonly (readonly [string, GateAnswer['verdict']])[]

/**
 * What gates had said of a call, as it is on record; one that was not asked then is taken to have abstained. Logs of
 * earlier versions have only the fact, which is read instead.
 */
export function readRecordedAnswers(
  gates: readonly GateSetting[],
  fact: string,
  answers?: readonly RecordedAnswer[],
): readonly GateAnswer[] {
  return gates.map(({ name: gate }) => {
    const verdict =
      answers === undefined
        ? WORDS.find(([word]) => `; ${fact}`.includes(`; ${gate}: ${word}`))?.[1]
        : answers.find((one) => one.gate === gate)?.verdict
    return { gate, verdict: verdict ?? 'abstain', say: 'as recorded', fault: null }
  })
}
