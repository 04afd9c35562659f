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

/** The tools a model is told about, sorted by name. The others can be called all the same, by whoever knows them. */
export function advertise(
  settings: Settings,
  definitions: readonly ToolDefinition[],
  isBuiltIn: (name: string) => boolean,
): readonly ToolDefinition[] {
  const named = settings[KEY]
  const isChosen = !isDefault(named)
  const isMeant = (name: string): boolean =>
    named.includes(EVERY) || named.includes(name) || (!isChosen && !isBuiltIn(name))
  // A tool that is switched off would only be refused.
  return definitions.filter(({ name }) => isMeant(name) && findDenyKey(name, settings) === null)
}

/** Refuses names of tools that nobody has; a list that nobody wrote may name what a later version brings. */
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

/** The tools as the outside is told of them: without the operations that rules forbid, and without a tool that has none left. */
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
