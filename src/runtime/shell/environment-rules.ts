import {
  CHILD_ENVIRONMENT,
  CHILD_ENVIRONMENT_FIXED,
  CHILD_ENVIRONMENT_NEVER,
} from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import type { EnvironmentRules } from '../../host/run/environment.ts'

/** Which variables any child process gets, be it a command or an isolated tool. */
export function environmentRules(
  settings: Settings,
  extra: Readonly<Record<string, string>> = {},
): EnvironmentRules {
  return {
    allow: [...CHILD_ENVIRONMENT, ...settings['tools.environment.allow']],
    fixed: CHILD_ENVIRONMENT_FIXED,
    never: CHILD_ENVIRONMENT_NEVER,
    denylist: settings['tools.environment.denylist'],
    extra,
  }
}
