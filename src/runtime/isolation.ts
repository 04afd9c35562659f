import {
  CHILD_ENVIRONMENT,
  CHILD_ENVIRONMENT_FIXED,
  CHILD_ENVIRONMENT_NEVER,
} from '../config/fixed-values.ts'
import type { Settings } from '../config/keys.ts'
import type { RunIsolated } from '../core/isolation.ts'

/** Runs isolated tools with the variables that any child process gets. Loaded with the first of them. */
export function isolatorFor(settings: Settings): RunIsolated {
  return async (job) => {
    const { createIsolator } = await import('../host/isolate/run-isolated.ts')
    const { childEnvironment } = await import('../host/run/environment.ts')
    const { platform } = await import('../host/platform.ts')
    const rules = {
      allow: [...CHILD_ENVIRONMENT, ...settings['tools.environment.allow']],
      fixed: CHILD_ENVIRONMENT_FIXED,
      never: CHILD_ENVIRONMENT_NEVER,
      denylist: settings['tools.environment.denylist'],
      extra: {},
    }
    return createIsolator(childEnvironment(process.env, rules, platform).variables)(job)
  }
}
