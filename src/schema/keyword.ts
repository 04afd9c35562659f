import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { Check } from './check.ts'
import { nameType } from './problem.ts'
import { pointerStep } from './resources.ts'
import type { Resource, Resources, Spot } from './resources.ts'

/** Compiles one keyword, or one group of keywords that belong together; null if it asserts nothing. */
export type Keyword = (given: Given, keyword: string) => Check | null

/** A schema object at one place of the document. */
export interface Given {
  readonly schema: JsonObject
  readonly build: Build
  /** The schema around it, or null if a reference leads straight here. */
  readonly up: Given | null
  /** The way from the schema around it, or the whole JSON pointer. Pointers are put together only for messages. */
  readonly steps: readonly (string | number)[] | string
  readonly resource: Resource
  /** The target of references from which this place is reached without going into the value. */
  readonly home: Target | null
  readonly depth: number
}

/** The target of references. It is compiled once, after the reference that leads to it. */
export interface Target {
  readonly spot: Spot
  check: Check
  /** Targets applied to the same value, and the places of the references that say so. */
  readonly leadsTo: { readonly target: Target; readonly at: string }[]
}

/** One compilation under way. */
export interface Build {
  /** Compiles a schema that stands inside another one. */
  readonly compile: (
    schema: JsonValue,
    up: Given,
    steps: readonly (string | number)[],
    home: Target | null,
  ) => Check
  readonly targetAt: (spot: Spot) => Target
  readonly resources: () => Resources
  /** Notes what is wrong with the schema; the first fault counts. */
  readonly refuse: (at: string, message: string) => null
}

/** What the schema has under a keyword. */
export function valueOf({ schema }: Given, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
}

/** Whether a keyword is the first present of a group that is compiled as one. */
export function isFirstOf(group: readonly string[], given: Given, keyword: string): boolean {
  for (const name of group) if (valueOf(given, name) !== undefined) return name === keyword
  return false
}

/** The JSON pointer of a keyword, or of something under it. */
export function pointerTo(given: Given, ...steps: readonly (string | number)[]): string {
  const { up, steps: way } = given
  const here = typeof way === 'string' ? way : up === null ? '' : pointerTo(up, ...way)
  return here + steps.map(pointerStep).join('')
}

/** Says that a keyword does not have the form it must have. */
export function refuseForm(given: Given, keyword: string, form: string): null {
  return given.build.refuse(
    pointerTo(given, keyword),
    `must be ${form}, not ${nameType(valueOf(given, keyword))}`,
  )
}

/** A schema that is applied to the same value. */
export function compileHere(given: Given, schema: JsonValue, ...steps: readonly (string | number)[]): Check {
  return given.build.compile(schema, given, steps, given.home)
}

/** A schema that is applied to members of the value. */
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

/** The whole number from 0 under a keyword. */
export function readCount(given: Given, keyword: string): number | null {
  const value = readNumber(given, keyword)
  if (value === null || (Number.isInteger(value) && value >= 0)) return value
  return given.build.refuse(pointerTo(given, keyword), `must be a whole number from 0, not ${value}`)
}

/** The list of schemas under a keyword, which must not be empty. */
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

/** A list of different names, at the keyword or a member of it. */
export function readNames(given: Given, value: JsonValue, ...steps: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const name of Array.isArray(value) ? value : [null]) {
    if (typeof name === 'string' && !names.has(name)) names.add(name)
    else given.build.refuse(pointerTo(given, ...steps), 'must be an array of different strings')
  }
  return [...names]
}
