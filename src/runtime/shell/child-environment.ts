import {
  CHILD_ENVIRONMENT,
  CHILD_ENVIRONMENT_FIXED,
  CHILD_ENVIRONMENT_NEVER,
} from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import { isAtLeast, lookOf } from '../../core/text/secrets/looks.ts'
import { nameKindOf } from '../../core/text/secrets/secret-names.ts'
import type { EnvironmentRules, Variable } from '../../host/run/environment.ts'
import { platform } from '../../host/system/platform.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import { watchStoredKeys } from '../configure/stored-keys.ts'
import type { RunIsolated } from '../../core/isolation.ts'

/** Which variables child processes get, commands and isolated tools alike. */
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

/**
 * The values of secret environment variables, which no command gets, the keys that the user has stored, and `more`; read
 * again if one of them has changed.
 */
export function watchSecrets(settings: Settings, more: readonly string[] = []): () => readonly string[] {
  const stored = watchStoredKeys()
  let seen = ''
  let keys: readonly string[] = []
  let known: readonly string[] = more
  return () => {
    const now = JSON.stringify(process.env)
    const storedNow = stored()
    if (now !== seen || storedNow !== keys) {
      const { secrets } = childEnvironment(process.env, environmentRules(settings), platform)
      known = [...valuesToHide(secrets), ...storedNow, ...more]
      seen = now
      keys = storedNow
    }
    return known
  }
}

/**
 * The values to redact wherever they occur. `AWS_*` also withholds a region or a profile, whose value is an ordinary
 * word; unless the name says that it is a secret, the value has to look like one.
 */
export function valuesToHide(variables: readonly Variable[]): readonly string[] {
  return variables
    .filter(({ name, value }) => {
      const kind = nameKindOf(name)
      return kind === 'password' || kind === 'secret' || isAtLeast(lookOf(value), 'mixed')
    })
    .map(({ value }) => value)
}

/** Runs isolated tools with the environment of child processes. The isolator is loaded on first use. */
export function isolatorFor(settings: Settings, roots: readonly string[]): RunIsolated {
  return async (job) => {
    const { createIsolator } = await import('../../host/isolate/isolator.ts')
    const { variables } = childEnvironment(process.env, environmentRules(settings), platform)
    return createIsolator(variables, roots)(job)
  }
}
