import type { JsonObject } from '../../core/json/value.ts'

/**
 * Which way a value gets tighter, so that a file that may only tighten can be held to it.
 * `order` goes by the position in the list of words, loosest first; `never` is out of reach of such a file.
 */
export type Tighter = 'lower' | 'higher' | 'subset' | 'add' | 'never' | 'order' | 'true' | 'false'

/** One thing wrong with a value, as data: the words for it are found only when they are needed. */
export interface Fault {
  /** Leads to the place from the key downwards. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** What stood there, where that helps. */
  readonly found?: { readonly value: unknown }
  /** An unknown name, and those that could have been meant. */
  readonly meant?: { readonly given: unknown; readonly among: readonly string[] }
  /** What to do, if no known name comes close. */
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
 * What a type of value knows about itself. The members are methods on purpose: a table of different kinds is
 * then one `ValueKind<unknown>`, which is sound because a key's values only ever meet that key's kind.
 */
export interface ValueKind<T> {
  readonly type: 'boolean' | 'integer' | 'number' | 'choice' | 'text' | 'list' | 'map' | 'tables'
  readonly tighter: Tighter
  /** True if a tighter list must keep the first entry. */
  readonly keepsFirst?: boolean
  /** What a value has to be, as the end of the sentence "it must be …". */
  readonly expected: string
  /** The words of a choice or a map, loosest first; or those that may stand in a list. */
  readonly words?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** True if 0 stands for "no limit" and is therefore the loosest number. */
  readonly isZeroUnlimited?: boolean
  read(raw: unknown): Reading<T>
  /** What a stronger layer of the user's own makes of the value below it. */
  layer(base: T, next: T): T
  /** What a layer that may only tighten makes of it. */
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

/** The same faults, seen from one step further up. */
export function faultsUnder(step: string | number, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => Object.assign({}, fault, { path: [step, ...fault.path] }))
}

/** True for a TOML table, whatever its prototype. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
