import { judgeExitRule } from './exit-requirements.ts'
import { ANY_TOOL } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** The tool succeeds before a pass may end; a call that would end it is refused until then. */
export const requiredBeforeExit: RuleKind<'RequiredBeforeExit'> = {
  type: 'RequiredBeforeExit',
  lifetime: 'pass',
  example: { tool: 'run_tests', type: 'RequiredBeforeExit', priority: 0 },
  sentence: ({ tool }) => `${tool} must succeed before the work ends.`,
  concerns: (rule, tool, book) => rule.tool !== ANY_TOOL && rule.tool !== tool && book.endsLoop(tool),
  judge(rule, situation) {
    return judgeExitRule(rule, this.sentence(rule), situation)
  },
}
