import type { Settings } from '../../config/keys.ts'
import type { RunIsolated } from '../../core/isolation.ts'
import { environmentRules } from './environment-rules.ts'

/** Runs isolated tools with the variables that any child process gets. Loaded with the first of them. */
export function isolatorFor(settings: Settings): RunIsolated {
  return async (job) => {
    const { createIsolator } = await import('../../host/isolate/isolator.ts')
    const { childEnvironment } = await import('../../host/run/environment.ts')
    const { platform } = await import('../../host/system/platform.ts')
    return createIsolator(childEnvironment(process.env, environmentRules(settings), platform).variables)(job)
  }
}
