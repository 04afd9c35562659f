import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { compileSchema } from '../../src/schema/compile-schema.ts'
import { randomSchema, randomValue } from './random-schema.ts'

/** What a comparison with Ajv came to. */
export interface Comparison {
  readonly disagreement: string | null
  readonly compared: number
  readonly fitting: number
}

const VALUES_PER_SCHEMA = 30

/**
 * Where Ajv is known to differ from the dialect. It loses track of the items that forms have looked at, and of properties
 * where one schema goes over many of them or where `dependentSchemas` has one that does not apply; takes names that every
 * object inherits for looked at; ignores what an `if` without `then` and `else` has seen; and lets `contains` pass on an empty array after another one, or beside `items`.
 * Where it throws, as it does over a property `toString` or some mixtures of `unevaluatedProperties`, it has no opinion.
 */
function isSchemaApart(schema: string): boolean {
  return (
    (schema.includes('"unevaluatedItems"') &&
      /"(?:contains|if|anyOf|oneOf|allOf|not|dependentSchemas|\$ref)"/.test(schema)) ||
    (schema.includes('"unevaluatedProperties"') &&
      /"(?:if|items|contains|additionalProperties|patternProperties|dependentSchemas)"/.test(schema)) ||
    (schema.includes('"contains"') && /"(?:items|prefixItems)"/.test(schema))
  )
}

function isValueApart(schema: string, value: string): boolean {
  return (
    (schema.includes('"unevaluated') && /toString|constructor/.test(value)) ||
    (schema.includes('"contains"') && value.includes('[]'))
  )
}

function opinionOf(validate: (value: unknown) => boolean, value: JsonValue): boolean | null {
  try {
    return validate(value)
  } catch {
    return null
  }
}

/** Puts random values under random schemas to Ajv and to a compiler, until they differ. */
export function compareWithAjv(compile: typeof compileSchema, numRuns: number, seed?: number): Comparison {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
  })
  let compared = 0
  let fitting = 0

  const judge = (schema: JsonObject, values: readonly JsonValue[]): void => {
    const text = JSON.stringify(schema)
    const ours = compile(schema)
    if (!ours.ok) {
      // Such a schema is no mistake of the generator's, and Ajv would exhaust the stack on it.
      if (ours.message.includes('would never end')) return
      throw new Error(`refused at ${ours.at}: ${ours.message}`)
    }
    if (isSchemaApart(text)) return
    const theirs = ajv.compile(schema)
    for (const value of values) {
      if (isValueApart(text, JSON.stringify(value))) continue
      const isOurs = ours.validate(value).length === 0
      const isTheirs = opinionOf(theirs, value)
      if (isTheirs === null) continue
      compared += 1
      if (isTheirs) fitting += 1
      if (isOurs !== isTheirs)
        throw new Error(`ours ${isOurs}, theirs ${isTheirs}: ${JSON.stringify(value)} under ${text}`)
    }
    ajv.removeSchema(schema)
  }

  const values = fc.array(randomValue, { minLength: VALUES_PER_SCHEMA, maxLength: VALUES_PER_SCHEMA })
  const outcome = fc.check(fc.property(randomSchema, values, judge), {
    numRuns,
    endOnFailure: true,
    ...(seed === undefined ? {} : { seed }),
  })
  const { failed, errorInstance } = outcome
  const disagreement = failed
    ? `${String(errorInstance)} (seed ${outcome.seed}, path ${outcome.counterexamplePath})`
    : null
  return { disagreement, compared, fitting }
}
