import type { ToolDefinition } from '../../core/registry.ts'
import { narrowOperations } from '../../policy/rules/narrow-operations.ts'
import { isAbout } from '../../policy/rules/rule-kind.ts'
import type { RuleBook } from '../../policy/rules/rule-kind.ts'

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
