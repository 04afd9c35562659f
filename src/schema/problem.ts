import type { JsonValue } from '../core/json/value.ts'
import { toJsonLine } from '../core/text/escape-json.ts'
import { elideMiddle } from '../core/text/truncate.ts'

/** One way in which a value does not fit its schema. */
export interface SchemaProblem {
  /** The keys and indexes that lead from the root to the value. */
  readonly pointer: readonly (string | number)[]
  /** The schema keyword that failed. */
  readonly keyword: string
  /** What is wrong, without the location: `must be string, not number`. */
  readonly message: string
  readonly data: ProblemData
}

/** The data of a message, for callers that word it themselves. */
export interface ProblemData {
  /** The schema's value for the keyword. */
  readonly wanted?: JsonValue
  /** The property that is missing, unknown or badly named. */
  readonly property?: string
  /** If none of several forms fits: what is wrong with the closest one. */
  readonly nearest?: SchemaProblem
}

const MAX_NAME_CHARS = 80
const MAX_PLACE_CHARS = 300
const MAX_LISTED = 12

/** Describes what is wrong and where, like `args.list[1].n must be >= 1`. */
export function describeSchemaProblem(problem: SchemaProblem, root: 'args' | 'result'): string {
  const { nearest } = problem.data
  const hint = nearest === undefined ? '' : `; closest match: ${describeSchemaProblem(nearest, root)}`
  return `${describePlace(problem.pointer, root)} ${problem.message}${hint}`
}

function describePlace(pointer: SchemaProblem['pointer'], root: string): string {
  const place = pointer.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_$][\w$-]{0,79}$/.test(step) ? `.${step}` : `[${quote(step)}]`
  })
  return root + elideMiddle(place.join(''), MAX_PLACE_CHARS)
}

/** A value as JSON on one line, shortened if long. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return toJsonLine(elideMiddle(value, MAX_NAME_CHARS))
  return elideMiddle(toJsonLine(value), MAX_NAME_CHARS)
}

/** Several values; only the first few if there are many. */
export function quoteAll(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map(quote).join(', ')
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown
}

/** The JSON type of a value, for messages. */
export function nameType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A count with its noun, like `1 item` or `2 items`. */
export function countOf(count: number, thing: string): string {
  if (count === 1) return `1 ${thing}`
  return `${count} ${thing.endsWith('y') ? `${thing.slice(0, -1)}ies` : `${thing}s`}`
}
