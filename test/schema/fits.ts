import type { JsonObject } from '../../src/core/json/value.ts'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { describeSchemaProblem } from '../../src/schema/problem.ts'
import type { SchemaProblem } from '../../src/schema/problem.ts'

/** What a value does wrong by a schema that must compile. */
export function problemsOf(schema: unknown, value: unknown): readonly SchemaProblem[] {
  const compiled = compileSchema(schema as JsonObject)
  if (!compiled.ok) throw new Error(`the schema does not compile: ${compiled.at} ${compiled.message}`)
  return compiled.validate(value)
}

/** Whether a value fits a schema that must compile. */
export function fits(schema: unknown, value: unknown): boolean {
  return problemsOf(schema, value).length === 0
}

/** The problems in words. */
export function wordsOf(schema: unknown, value: unknown): readonly string[] {
  return problemsOf(schema, value).map((problem) => describeSchemaProblem(problem, 'args'))
}

/** Where and why a schema is refused. */
export function faultOf(schema: unknown): { readonly at: string; readonly message: string } {
  const compiled = compileSchema(schema as JsonObject)
  if (compiled.ok) throw new Error(`expected a fault in ${JSON.stringify(schema)}`)
  return { at: compiled.at, message: compiled.message }
}

/** A schema that holds under a condition. A literal with a `then` in it would be taken for a promise. */
export function when(condition: unknown, consequence?: unknown, alternative?: unknown): JsonObject {
  const parts = new Map([
    ['if', condition],
    ['then', consequence],
    ['else', alternative],
  ])
  return JSON.parse(JSON.stringify(Object.fromEntries(parts)))
}
