import type { Settings } from '../config/keys.ts'
import { platform } from '../host/platform.ts'
import { childEnvironment } from '../host/run/environment.ts'
import { environmentRules } from './environment-rules.ts'

/** The values of variables of this process that no command is given because they are secret. */
export function knownSecrets(settings: Settings): readonly string[] {
  const { secrets } = childEnvironment(process.env, environmentRules(settings), platform)
  return secrets.map(({ value }) => value)
}
