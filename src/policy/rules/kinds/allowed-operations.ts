import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonValue } from '../../../core/json/value.ts'
import { enumerate, isAbout, subjectOf, wordsOf } from '../rule-kind.ts'
import type { RuleFacts, RuleKind, RuleOf } from '../rule-kind.ts'

/** The argument that selects one of a tool's operations. */
export const ACTION = 'action'

/** Only some operations of a tool are allowed; tools without operations are not affected. */
export const allowedOperations: RuleKind<'AllowedOperations'> = {
  type: 'AllowedOperations',
  lifetime: 'none',
  example: { tool: 'task', type: 'AllowedOperations', operations: ['list', 'show'], priority: 0 },
  sentence: (rule) => `${subjectOf(rule)} may do only ${enumerate(operationsOf(rule))}.`,
  concerns: isAbout,
  judge(rule, { facts }) {
    const operation = findOperation(facts)
    if (operation === undefined) return null
    if (typeof operation === 'string' && rule.operations.includes(operation)) return null
    const allowed = enumerate(operationsOf(rule), 'or')
    const shown = typeof operation === 'string' ? operation : 'a call that names no operation'
    return {
      is: 'violation',
      rule: rule.type,
      sentence: this.sentence(rule),
      reason: `${facts.tool}: ${shown} is not among the operations allowed`,
      satisfy: `Call it with ${ACTION} ${allowed}.`,
      details: { operation, allowed: [...rule.operations] },
    }
  },
}

function operationsOf(rule: RuleOf<'AllowedOperations'>): readonly string[] {
  return rule.operations.map((operation) => wordsOf(rule, operation))
}

/** The operation the call asks for; null if it does not say, undefined if the tool has no operations. */
function findOperation({ args, inputSchema }: RuleFacts): JsonValue | undefined {
  if (Object.hasOwn(args, ACTION)) return args[ACTION]
  const properties = inputSchema['properties']
  if (!isJsonObject(properties) || !Object.hasOwn(properties, ACTION)) return undefined
  const action = properties[ACTION]
  return isJsonObject(action) ? (action['default'] ?? null) : null
}
