import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { Check } from './check.ts'
import { nameType } from './problem.ts'
import { pointerStep } from './resources.ts'
import type { Resource, Resources, Spot } from './resources.ts'

/** Compiles one keyword, or one group of related keywords; null if it asserts nothing. */
export type Keyword = (given: Given, keyword: string) => Check | null

/** A schema object at one location in the document. */
export interface Given {
  readonly schema: JsonObject
  readonly build: Build
  /** The enclosing schema, or null if a reference leads straight here. */
  readonly up: Given | null
  /** The steps from the enclosing schema, or the whole JSON pointer. Pointers are assembled only for messages. */
  readonly steps: readonly (string | number)[] | string
  readonly resource: Resource
  /** The reference target from which this place is reached without descending into the value. */
  readonly home: Target | null
  readonly depth: number
}

/** The target of references. It is compiled once, after the reference that leads to it. */
export interface Target {
  readonly spot: Spot
  check: Check
  /** Targets applied to the same value, and the locations of the references to them. */
  readonly leadsTo: { readonly target: Target; readonly at: string }[]
}

/** One compilation in progress. */
export interface Build {
  /** Compiles a schema nested in another one. */
  readonly compile: (
    schema: JsonValue,
    up: Given,
    steps: readonly (string | number)[],
    home: Target | null,
  ) => Check
  readonly targetAt: (spot: Spot) => Target
  readonly resources: () => Resources
  /** Records what is wrong with the schema; only the first fault counts. */
  readonly refuse: (at: string, message: string) => null
}

/** The schema's value for a keyword. */
export function valueOf({ schema }: Given, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
}

/** Whether a keyword is the first one present of a group that is compiled together. */
export function isFirstOf(group: readonly string[], given: Given, keyword: string): boolean {
  for (const name of group) if (valueOf(given, name) !== undefined) return name === keyword
  return false
}

/** The JSON pointer of a keyword, or of something below it. */
export function pointerTo(given: Given, ...steps: readonly (string | number)[]): string {
  const { up, steps: way } = given
  const here = typeof way === 'string' ? way : up === null ? '' : pointerTo(up, ...way)
  return here + steps.map(pointerStep).join('')
}

/** Reports that a keyword's value does not have the required form. */
export function refuseForm(given: Given, keyword: string, form: string): null {
  return given.build.refuse(
    pointerTo(given, keyword),
    `must be ${form}, not ${nameType(valueOf(given, keyword))}`,
  )
}

/** Compiles a schema that is applied to the same value. */
export function compileHere(given: Given, schema: JsonValue, ...steps: readonly (string | number)[]): Check {
  return given.build.compile(schema, given, steps, given.home)
}

/** Compiles a schema that is applied to members of the value. */
export function compileInside(
  given: Given,
  schema: JsonValue,
  ...steps: readonly (string | number)[]
): Check {
  return given.build.compile(schema, given, steps, null)
}

/** The number under a keyword. */
export function readNumber(given: Given, keyword: string): number | null {
  const value = valueOf(given, keyword)
  return typeof value === 'number' && Number.isFinite(value) ? value : refuseForm(given, keyword, 'a number')
}

/** The non-negative integer under a keyword. */
export function readCount(given: Given, keyword: string): number | null {
  const value = readNumber(given, keyword)
  if (value === null || (Number.isInteger(value) && value >= 0)) return value
  return given.build.refuse(pointerTo(given, keyword), `must be a whole number from 0, not ${value}`)
}

/** The non-empty list of schemas under a keyword. */
export function readList(given: Given, keyword: string): readonly JsonValue[] {
  const value = valueOf(given, keyword)
  if (!Array.isArray(value)) refuseForm(given, keyword, 'an array of schemas')
  else if (value.length === 0) given.build.refuse(pointerTo(given, keyword), 'must hold at least one schema')
  else return value
  return []
}

/** The members of the object under a keyword. */
export function readEntries(given: Given, keyword: string): readonly (readonly [string, JsonValue])[] {
  const value = valueOf(given, keyword)
  if (value === undefined) return []
  if (isJsonObject(value)) return Object.entries(value)
  refuseForm(given, keyword, 'an object')
  return []
}

/** A list of unique names, at the keyword or one of its members. */
export function readNames(given: Given, value: JsonValue, ...steps: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const name of Array.isArray(value) ? value : [null]) {
    if (typeof name === 'string' && !names.has(name)) names.add(name)
    else given.build.refuse(pointerTo(given, ...steps), 'must be an array of different strings')
  }
  return [...names]
}
