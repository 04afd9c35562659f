import { KEYS } from '../../config/keys.ts'
import type { Settings } from '../../config/keys.ts'
import { nearest } from '../../core/text/nearest.ts'
import { SEARCH_TOOLS } from '../../core/registry.ts'
import type { Registry, ToolDefinition } from '../../core/registry.ts'
import { findDenyKey } from '../../policy/gates/approval-gates.ts'
import { ConfigurationError } from './configuration-error.ts'
import { narrowOperations } from '../../policy/rules/narrow-operations.ts'
import { isAbout } from '../../policy/rules/rule-kind.ts'
import type { RuleBook } from '../../policy/rules/rule-kind.ts'

const KEY = 'tools.advertise'
const EVERY = '*'

/** The tools that are not part of every runtime, or not told about from the start. */
export interface ToolKinds {
  readonly isBuiltIn: (name: string) => boolean
  /** Tools that a model is told about once it has found them. */
  readonly later: ReadonlySet<string>
}

/** The tools that are advertised to a model, sorted by name. The others can still be called by name. */
export function advertise(
  settings: Settings,
  definitions: readonly ToolDefinition[],
  { isBuiltIn, later }: ToolKinds,
): readonly ToolDefinition[] {
  const named = settings[KEY]
  const isChosen = !isDefault(named)
  const isMeant = (name: string): boolean =>
    named.includes(EVERY) || named.includes(name) || (!isChosen && !isBuiltIn(name))
  // Calls of a disabled tool would only be denied.
  return definitions.filter(
    ({ name }) => isMeant(name) && !later.has(name) && findDenyKey(name, settings) === null,
  )
}

/** The tools of servers that a search may find instead of a list: those that are meant but not named one by one. */
export function findLater<T extends { readonly name: string }>(
  settings: Settings,
  foreign: readonly T[],
): readonly T[] {
  const named = settings[KEY]
  const areMeant = isDefault(named) || named.includes(EVERY) || named.includes(SEARCH_TOOLS)
  if (!areMeant || findDenyKey(SEARCH_TOOLS, settings) !== null) return []
  return foreign.filter(({ name }) => !named.includes(name) && findDenyKey(name, settings) === null)
}

/** The definitions of tools that a search found, in the order of their names here; those that are gone are left out. */
export function showFound(
  names: readonly string[],
  definitions: readonly ToolDefinition[],
  later: ReadonlySet<string>,
): readonly ToolDefinition[] {
  return names.flatMap((name) => definitions.filter((one) => one.name === name && later.has(name)))
}

/**
 * The tools that are offered to a client with a model of its own: those that the setting names, or else every one. Such a
 * client has its own ways with many tools, and no conversation here that could remember what was found or that calls
 * could be handed on from.
 */
export function offer(
  settings: Settings,
  definitions: readonly ToolDefinition[],
  { isBuiltIn }: Pick<ToolKinds, 'isBuiltIn'>,
): readonly ToolDefinition[] {
  const others = definitions.filter(({ name, converses }) => name !== SEARCH_TOOLS && !converses)
  if (!isDefault(settings[KEY])) return advertise(settings, others, { isBuiltIn, later: NONE })
  return others.filter(({ name }) => findDenyKey(name, settings) === null)
}

const NONE: ReadonlySet<string> = new Set()

/** Rejects unknown tool names. The default list is not checked: it may name tools of a later version. */
export function checkAdvertised(settings: Settings, origin: string, registry: Registry): void {
  const named = settings[KEY]
  if (isDefault(named)) return
  const known = [...registry.names, SEARCH_TOOLS, ...settings['tools.definitions'].map(({ name }) => name)]
  const problems = named
    .filter((name) => name !== EVERY && !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      const hint = meant === null ? 'see tongs tools' : `did you mean ${meant}?`
      return { source: origin, key: KEY, message: `there is no tool ${JSON.stringify(name)}`, hint }
    })
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function isDefault(named: readonly string[]): boolean {
  const { agent } = KEYS[KEY]
  return named.length === agent.length && agent.every((name, index) => named[index] === name)
}

/** Tool definitions without the operations that rules forbid, and without tools that have no operation left. */
export function showTools(
  definitions: readonly ToolDefinition[],
  { rules }: Pick<RuleBook, 'rules'>,
): readonly ToolDefinition[] {
  const limiting = rules.filter(({ type }) => type === 'AllowedOperations')
  if (limiting.length === 0) return definitions
  return definitions.flatMap((definition) => {
    const about = limiting.filter((rule) => isAbout(rule, definition.name))
    const inputSchema = narrowOperations(definition.inputSchema, about)
    return inputSchema === null ? [] : [{ ...definition, inputSchema }]
  })
}
