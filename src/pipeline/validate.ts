import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonObject } from '../core/json/value.ts'
import { nearest } from '../core/nearest.ts'

/** Checks a value against a schema; the list is empty where it fits. */
export type Validator = (value: unknown, whole: string) => readonly string[]

/** Compiles each schema once, on its first use. */
export interface Validation {
  readonly of: (schema: JsonObject) => Validator
}

const SHOWN = 6

/** Loads the validator library; it is not needed before the first call. */
export async function createValidation(): Promise<Validation> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    verbose: true,
    logger: false,
    meta: false,
    validateSchema: false,
  })
  const compiled = new WeakMap<JsonObject, Validator>()
  return {
    of(schema) {
      const known = compiled.get(schema)
      if (known !== undefined) return known
      const { $schema: _dialect, ...body } = schema
      const check = ajv.compile(body)
      const validator: Validator = (value, whole) => (check(value) ? [] : describe(check, whole))
      compiled.set(schema, validator)
      return validator
    },
  }
}

function describe(check: ValidateFunction, whole: string): readonly string[] {
  const all = check.errors ?? []
  const shown = all.slice(0, SHOWN).map((error) => sentence(error, whole))
  return all.length > SHOWN ? [...shown, `and ${all.length - SHOWN} more`] : shown
}

function sentence(error: ErrorObject, whole: string): string {
  const at = place(error.instancePath, whole)
  const params = error.params as Readonly<Record<string, unknown>>
  switch (error.keyword) {
    case 'type':
      return `${at} must be ${list(params['type'])}, not ${nameType(error.data)}`
    case 'required':
      return `${at} needs ${JSON.stringify(params['missingProperty'])}`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      const known = Object.keys(error.parentSchema?.['properties'] ?? {})
      const meant = nearest(extra, known)
      const hint = meant === null ? `known are ${known.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`
      return `${at} has the unknown property ${JSON.stringify(extra.slice(0, 80))}; ${hint}`
    }
    case 'enum':
      return `${at} must be one of ${list(params['allowedValues'])}`
    default:
      return `${at} ${error.message ?? 'does not fit its schema'}`
  }
}

function place(pointer: string, whole: string): string {
  let text = whole
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    text += /^\d+$/.test(name) ? `[${name}]` : `.${name.slice(0, 80)}`
  }
  return text
}

function list(words: unknown): string {
  return Array.isArray(words) ? words.map((word) => JSON.stringify(word)).join(', ') : String(words)
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
