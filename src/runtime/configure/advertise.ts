import { KEYS } from '../../config/keys.ts'
import type { Settings } from '../../config/keys.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { Registry, ToolDefinition } from '../../core/registry.ts'
import { findDenyKey } from '../../policy/gates/approval-gates.ts'
import { ConfigurationError } from './configuration-error.ts'
import { narrowOperations } from '../../policy/rules/narrow-operations.ts'
import { isAbout } from '../../policy/rules/rule-kind.ts'
import type { RuleBook } from '../../policy/rules/rule-kind.ts'

const KEY = 'tools.advertise'
const EVERY = '*'

/** The tools that are advertised to a model, sorted by name. The others can still be called by name. */
export function advertise(
  settings: Settings,
  definitions: readonly ToolDefinition[],
  isBuiltIn: (name: string) => boolean,
): readonly ToolDefinition[] {
  const named = settings[KEY]
  const isChosen = !isDefault(named)
  const isMeant = (name: string): boolean =>
    named.includes(EVERY) || named.includes(name) || (!isChosen && !isBuiltIn(name))
  // Calls of a disabled tool would only be denied.
  return definitions.filter(({ name }) => isMeant(name) && findDenyKey(name, settings) === null)
}

/** The tools that are offered to a client with a model of its own: those that the setting names, or else every one. */
export function offer(
  settings: Settings,
  definitions: readonly ToolDefinition[],
  isBuiltIn: (name: string) => boolean,
): readonly ToolDefinition[] {
  if (!isDefault(settings[KEY])) return advertise(settings, definitions, isBuiltIn)
  return definitions.filter(({ name }) => findDenyKey(name, settings) === null)
}

/** Rejects unknown tool names. The default list is not checked: it may name tools of a later version. */
export function checkAdvertised(settings: Settings, origin: string, registry: Registry): void {
  const named = settings[KEY]
  if (isDefault(named)) return
  const known = [...registry.names, ...settings['tools.definitions'].map(({ name }) => name)]
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
