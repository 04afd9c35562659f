import type { JsonObject } from '../../core/json/value.ts'

/**
 * Which direction tightens a value, so that a file that may only tighten can be checked. `order` goes by the position
 * in the list of words, loosest first; `never` means that such a file cannot change it.
 */
export type Tighter = 'lower' | 'higher' | 'subset' | 'add' | 'never' | 'order' | 'true' | 'false'

/** One thing wrong with a value, as data: it is put into words only when needed. */
export interface Fault {
  /** The path from the key to the faulty part. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** What was found there, if that helps. */
  readonly found?: { readonly value: unknown }
  /** An unknown name, and the candidates that could have been meant. */
  readonly meant?: { readonly given: unknown; readonly among: readonly string[] }
  /** What to do, if no known name is close. */
  readonly hint?: string
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** The tighter of two values; `refused` is the part of the proposal that would have loosened, if any. */
export interface Tightened<T> {
  readonly value: T
  readonly refused?: unknown
}

/**
 * The behavior of one type of value. The members are methods on purpose: a table of different kinds is then one
 * `ValueKind<unknown>`, which is sound because a key's values only ever meet that key's kind.
 */
export interface ValueKind<T> {
  readonly type: 'boolean' | 'integer' | 'number' | 'choice' | 'text' | 'list' | 'map' | 'tables'
  readonly tighter: Tighter
  /** True if a tighter list must keep the first entry. */
  readonly keepsFirst?: boolean
  /** What a value must be, as the end of the sentence "it must be …". */
  readonly expected: string
  /** The words of a choice or a map, loosest first; or those allowed in a list. */
  readonly words?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** True if 0 stands for "no limit" and is therefore the loosest number. */
  readonly isZeroUnlimited?: boolean
  read(raw: unknown): Reading<T>
  /** The result of a stronger layer of the user's own over the value below it. */
  layer(base: T, next: T): T
  /** Marks the value of a project that nobody trusts, where that matters later. */
  markProject?(value: T): T
  /** The result of a layer that may only tighten. */
  tighten(base: T, proposed: T): Tightened<T>
  schema(): JsonObject
}

/** A reading that failed at the value itself. */
export function failAt(fault: Omit<Fault, 'path'>): {
  readonly ok: false
  readonly faults: readonly Fault[]
} {
  return { ok: false, faults: [{ path: [], ...fault }] }
}

/** A reading that failed because the value is not what its kind expects. */
export function notExpected(expected: string, value: unknown, hint?: string): Reading<never> {
  const message = `it must be ${expected}`
  return failAt(hint === undefined ? { message, found: { value } } : { message, found: { value }, hint })
}

/** The same faults, with one more step at the front of their paths. */
export function faultsUnder(step: string | number, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => Object.assign({}, fault, { path: [step, ...fault.path] }))
}

/** True for a TOML table, whatever its prototype. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
