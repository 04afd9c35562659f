import type { JsonObject } from '../../core/json/value.ts'
import { compileSchema } from '../../schema/compile-schema.ts'
import { describeSchemaProblem } from '../../schema/problem.ts'

/** Checks a value against a schema; returns the problems, none if it fits. */
export type Validator = (value: unknown, whole: 'args' | 'result') => readonly string[]

/** Compiles each schema once, on its first use. */
export interface Validation {
  readonly of: (schema: JsonObject) => Validator
}

const SHOWN = 6
const NONE: readonly string[] = []

/** Creates a cache of compiled schemas. */
export function createValidation(): Validation {
  const compiled = new WeakMap<JsonObject, Validator>()
  return {
    of(schema) {
      const known = compiled.get(schema)
      if (known !== undefined) return known
      const validator = createValidator(schema)
      compiled.set(schema, validator)
      return validator
    },
  }
}

function createValidator(schema: JsonObject): Validator {
  const result = compileSchema(schema)
  // A tool with such a schema is rejected when it is defined; if one gets here anyway, no value passes.
  if (!result.ok)
    return (_value, whole) => [
      `${whole} cannot be checked: the schema at ${result.at || 'the top'} ${result.message}`,
    ]
  return (value, whole) => {
    const problems = result.validate(value)
    if (problems.length === 0) return NONE
    const shown = problems.slice(0, SHOWN).map((problem) => describeSchemaProblem(problem, whole))
    return problems.length > SHOWN ? [...shown, 'and more'] : shown
  }
}
