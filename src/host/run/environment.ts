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

/** The variables of a parent that are secret by their names, whatever their values. */
export function secretNamesIn(
  names: readonly string[],
  { denylist }: Pick<EnvironmentRules, 'denylist'>,
  platform: Platform,
): readonly string[] {
  return names.filter(matcherOf(denylist, platform === 'windows'))
}

function matcherOf(patterns: readonly string[], isWindows: boolean): (name: string) => boolean {
  const fold = (text: string): string => (isWindows ? text.toUpperCase() : text)
  const split = patterns.map((pattern) => fold(pattern).split('*'))
  return (name) => split.some((parts) => matches(fold(name), parts))
}

/** Whether a name consists of these parts with anything between them. Not a regular expression: stars could make it take for ever. */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop()
  if (last === undefined) return name === first
  const end = name.length - last.length
  if (!name.startsWith(first) || !name.endsWith(last) || end < first.length) return false
  let at = first.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= end
}
