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
import { childEnvironment, secretNamesIn } from '../../host/run/environment.ts'
import { watchStoredKeys } from '../configure/stored-keys.ts'
import type { RunIsolated } from '../../core/isolation.ts'

const NONE: readonly string[] = []

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
export function watchSecrets(
  settings: Settings,
  more: () => readonly string[] = () => NONE,
): () => readonly string[] {
  const stored = watchStoredKeys()
  const rules = environmentRules(settings)
  let names: readonly string[] = []
  let watched: readonly Variable[] = []
  let keys: readonly string[] = []
  let others = more()
  let known: readonly string[] = others
  // Every result for a model comes by here: looking at the names and at a few values takes half of looking at all.
  const isSame = (now: readonly string[]): boolean =>
    now.length === names.length &&
    now.every((name, at) => name === names[at]) &&
    watched.every(({ name, value }) => process.env[name] === value)
  return () => {
    // A third quicker than `Object.keys`, which asks about every name once more.
    const now = Object.getOwnPropertyNames(process.env)
    const storedNow = stored()
    if (!isSame(now) || storedNow !== keys || more() !== others) {
      names = now
      watched = secretNamesIn(now, rules, platform).map((name) => ({ name, value: process.env[name] ?? '' }))
      keys = storedNow
      others = more()
      known = [...valuesToHide(watched.filter(({ value }) => value !== '')), ...storedNow, ...others]
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
