import type { Settings } from '../../config/keys.ts'
import { platform } from '../../host/system/platform.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import { environmentRules } from './environment-rules.ts'

/** The values of variables of this process that no command is given because they are secret; looked for again when a variable has changed. */
export function watchSecrets(settings: Settings): () => readonly string[] {
  let seen = ''
  let known: readonly string[] = []
  return () => {
    const now = JSON.stringify(process.env)
    if (now !== seen) {
      const { secrets } = childEnvironment(process.env, environmentRules(settings), platform)
      known = secrets.map(({ value }) => value)
      seen = now
    }
    return known
  }
}
