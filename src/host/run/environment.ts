import type { Platform } from '../system/platform.ts'

/** Which variables a command gets. Patterns may contain `*`. */
export interface EnvironmentRules {
  /** Passed on from our own environment. */
  readonly allow: readonly string[]
  /** Set by us. */
  readonly fixed: Readonly<Record<string, string>>
  /** Never passed: they change what programs load, or on whose behalf they act. */
  readonly never: readonly string[]
  /** Never passed: they hold secrets. */
  readonly denylist: readonly string[]
  /** Requested by the call. */
  readonly extra: Readonly<Record<string, string>>
}

/** A variable with its value. */
export interface Variable {
  readonly name: string
  readonly value: string
}

/** The environment of a command, and what was withheld from it. */
export interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** Variables of ours that hold secrets; their values should not be shown. */
  readonly secrets: readonly Variable[]
  /** Names that were requested and refused. */
  readonly refused: readonly string[]
}

/** Programs on Windows do not start without these. */
const NEEDED_ON_WINDOWS = [
  'SYSTEMROOT',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'SYSTEMDRIVE',
]

/** Selects the variables of a command. A deny always wins. */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  rules: EnvironmentRules,
  platform: Platform,
): ChildEnvironment {
  const isWindows = platform === 'windows'
  const isAllowed = matcherOf(isWindows ? [...rules.allow, ...NEEDED_ON_WINDOWS] : rules.allow, isWindows)
  const isSecret = matcherOf(rules.denylist, isWindows)
  const isNever = matcherOf(rules.never, isWindows)
  const isUsable = ({ name, value }: Variable): boolean =>
    name !== '' && !/[=\0]/.test(name) && !value.includes('\0') && !isSecret(name) && !isNever(name)

  const ours = Object.entries(parent).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  )
  const asked = Object.entries(rules.extra).map(([name, value]) => ({ name, value }))
  const set = Object.entries(rules.fixed).map(([name, value]) => ({ name, value }))
  const given = new Map<string, Variable>()
  for (const variable of [...ours.filter(({ name }) => isAllowed(name)), ...set, ...asked])
    if (isUsable(variable)) given.set(isWindows ? variable.name.toUpperCase() : variable.name, variable)
  return {
    variables: Object.fromEntries(given.values().map(({ name, value }) => [name, value])),
    secrets: ours.filter(({ name, value }) => value !== '' && isSecret(name)),
    refused: asked.filter((variable) => !isUsable(variable)).map(({ name }) => name),
  }
}

function matcherOf(patterns: readonly string[], isWindows: boolean): (name: string) => boolean {
  const tests = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    return new RegExp(`^${parts.join('.*')}$`, isWindows ? 'is' : 's')
  })
  return (name) => tests.some((test) => test.test(name))
}
