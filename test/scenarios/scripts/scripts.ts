import type { Scenario } from '../scenario.ts'
import { APPROVAL_SCENARIOS } from './approvals.ts'
import { COMMAND_SCENARIOS } from './commands.ts'
import { FILE_SCENARIOS } from './files.ts'
import { RULE_SCENARIOS } from './rules.ts'
import { SERVER_SCENARIOS } from './servers.ts'
import { UNDO_SCENARIOS } from './undo.ts'
import { WEB_SCENARIOS } from './web.ts'

/** Every scenario. */
export const SCENARIOS: readonly Scenario[] = [
  ...FILE_SCENARIOS,
  ...APPROVAL_SCENARIOS,
  ...COMMAND_SCENARIOS,
  ...RULE_SCENARIOS,
  ...UNDO_SCENARIOS,
  ...SERVER_SCENARIOS,
  ...WEB_SCENARIOS,
]
