import { judgeExitRule } from './exit-requirements.ts'
import { ANY_TOOL, enumerate } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** The same as without the condition, once one of the triggers has succeeded in the pass. */
export const requiredBeforeExitIf: RuleKind<'RequiredBeforeExitIf'> = {
  type: 'RequiredBeforeExitIf',
  lifetime: 'pass',
  example: {
    tool: 'run_tests',
    type: 'RequiredBeforeExitIf',
    tools: ['write_file', 'apply_patch'],
    priority: 0,
  },
  sentence: ({ tool, tools }) =>
    `${tool} must succeed before the work ends, if ${enumerate(tools, 'or')} has succeeded.`,
  concerns: (rule, tool, book) => rule.tool !== ANY_TOOL && rule.tool !== tool && book.endsLoop(tool),
  judge(rule, situation) {
    return judgeExitRule(rule, this.sentence(rule), situation)
  },
}
