import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { compileSchema } from './compile-schema.ts'
import { DIALECT } from './keywords/document-keywords.ts'
import { findMisspelt } from './misspelt-keyword.ts'

export { DIALECT } from './keywords/document-keywords.ts'

/** A JSON Schema that carries the TypeScript type of what it describes. */
export interface Schema<T> {
  readonly json: JsonObject
  /** Never set; it only carries the type. */
  readonly type?: T
}

/** A property that may be left out. */
export interface Optional<T> extends Schema<T> {
  readonly optional: true
}

/** The TypeScript type of what a schema describes. */
export type Infer<S> = S extends Schema<infer T> ? T : never

type Properties = Readonly<Record<string, Schema<unknown>>>
type OptionalKeys<P extends Properties> = {
  [K in keyof P]: P[K] extends Optional<unknown> ? K : never
}[keyof P]
type ObjectOf<P extends Properties> = {
  readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Infer<P[K]>
} & { readonly [K in OptionalKeys<P>]?: Infer<P[K]> }

interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

interface StringBounds {
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: string
}

/** Schemas built only from parts built here: valid by construction, so the check at startup is skipped. */
const built = new WeakSet<JsonObject>()

function build(json: JsonObject, parts: readonly Schema<unknown>[] = []): { readonly json: JsonObject } {
  if (parts.every((part) => built.has(part.json))) built.add(json)
  return { json }
}

/** A string. */
export function string(description: string, bounds: StringBounds = {}): Schema<string> {
  return build({ type: 'string', description, ...bounds })
}

/** A whole number. */
export function integer(description: string, bounds: NumberBounds = {}): Schema<number> {
  return build({ type: 'integer', description, ...bounds })
}

/** Any number. */
export function number(description: string, bounds: NumberBounds = {}): Schema<number> {
  return build({ type: 'number', description, ...bounds })
}

/** True or false. */
export function boolean(description: string, bounds: { readonly default?: boolean } = {}): Schema<boolean> {
  return build({ type: 'boolean', description, ...bounds })
}

/** One of the given words. */
export function oneOf<const W extends string>(words: readonly W[], description: string): Schema<W> {
  return build({ type: 'string', enum: words, description })
}

/** An array. */
export function array<T>(
  items: Schema<T>,
  description: string,
  bounds: { readonly minItems?: number; readonly maxItems?: number } = {},
): Schema<readonly T[]> {
  return build({ type: 'array', items: items.json, description, ...bounds }, [items])
}

/** An object with exactly these properties. */
export function object<P extends Properties>(properties: P, description: string): Schema<ObjectOf<P>> {
  const required = Object.keys(properties).filter((name) => !('optional' in (properties[name] ?? {})))
  const shapes = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.json]))
  const json = { type: 'object', description, properties: shapes, required, additionalProperties: false }
  return build(json, Object.values(properties))
}

/** An object with arbitrary keys whose values all have the same schema. */
export function record<T>(values: Schema<T>, description: string): Schema<Readonly<Record<string, T>>> {
  return build({ type: 'object', description, additionalProperties: values.json }, [values])
}

/** The same schema, or null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type } = schema.json
  const words = schema.json['enum']
  const json: JsonObject = { ...schema.json, type: [type as string, 'null'] }
  return build(Array.isArray(words) ? { ...json, enum: [...words, null] } : json, [schema])
}

/** The same property, but optional. */
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { json: schema.json, optional: true }
}

/** A JSON object of any shape, for data defined elsewhere. */
export function anyObject(description: string): Schema<JsonObject> {
  return build({ type: 'object', description })
}

/** Adds the dialect as the first member, to make it a document. */
function asDocument(json: JsonObject): JsonObject {
  if ('$schema' in json) return json
  const document = { $schema: DIALECT, ...json }
  if (built.has(json)) built.add(document)
  return document
}

/** What authors may provide as a schema: ours, a plain JSON Schema, or a library's that can print itself. */
export type SchemaSource<T> = Schema<T> | JsonObject | PrintableSchema

/** A foreign schema that implements the standard interface for printing itself as JSON Schema. */
export interface PrintableSchema {
  readonly '~standard': {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => unknown }
  }
}

/** Turns any accepted source into a JSON Schema document. */
export function schemaDocument(source: SchemaSource<unknown>): JsonObject {
  if ('~standard' in source) {
    const printed = (source as PrintableSchema)['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
    return asDocument(isJsonObject(printed) ? (printed as JsonObject) : {})
  }
  const inner: unknown = (source as { json?: unknown }).json
  return asDocument(isJsonObject(inner) ? inner : (source as JsonObject))
}

/** A fault in a schema document, at a JSON pointer. */
export interface SchemaFault {
  readonly at: string
  readonly message: string
}

/**
 * Checks that a document is a valid schema and follows the rules for tools: every property has a type and a
 * description, `required` is present, and additional properties are not allowed.
 */
export function findSchemaFaults(document: JsonObject): readonly SchemaFault[] {
  const compiled = built.has(document) ? null : compileSchema(document)
  if (compiled?.ok === false) return [{ at: compiled.at, message: compiled.message }]
  const misspelt = compiled === null ? null : findMisspelt(document)
  if (misspelt !== null) return [misspelt]
  const faults: SchemaFault[] = []
  if (document['$schema'] !== DIALECT) faults.push({ at: '/$schema', message: `must be ${DIALECT}` })
  if (document['type'] !== 'object') faults.push({ at: '/type', message: 'must be "object"' })
  visit(document, '', true)
  return faults

  function visit(schema: JsonObject, at: string, isTop: boolean): void {
    if (schema['type'] === undefined) faults.push({ at, message: 'has no type' })
    if (!isTop && typeof schema['description'] !== 'string')
      faults.push({ at, message: 'has no description' })
    const { properties, items } = schema as { properties?: JsonValue; items?: JsonValue }
    if (isJsonObject(properties)) {
      if (!Array.isArray(schema['required']))
        faults.push({ at, message: 'does not list its required properties' })
      if (schema['additionalProperties'] !== false) faults.push({ at, message: 'allows unknown properties' })
      for (const [name, inner] of Object.entries(properties)) {
        if (isJsonObject(inner)) visit(inner, `${at}/properties/${name}`, false)
      }
    }
    if (isJsonObject(items)) visit(items, `${at}/items`, false)
  }
}
