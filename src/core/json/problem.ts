import { toJsonLine } from '../text/escape-json.ts'
import type { Position } from '../text/position.ts'
import { elideMiddle } from '../text/truncate.ts'

/** The name of the arguments in messages. */
export const ARGS = 'args'

/** The keys and indexes that lead from the root to a value. */
export type Pointer = readonly (string | number)[]

/** The key that would reach an object's prototype. */
export const FORBIDDEN_KEY = '__proto__'

/** What is wrong, without its location. */
export type Finding =
  | { readonly kind: 'duplicate_key' | 'forbidden_key'; readonly key: string }
  | { readonly kind: 'unsafe_integer'; readonly digits: string }
  | { readonly kind: 'too_deep' | 'too_many_values'; readonly limit: number }
  | { readonly kind: 'not_json'; readonly what: string }

/**
 * Something in the arguments that JSON allows, or that a library caller can pass, but a tool must never see. `root`
 * names what the pointer starts from; values that were never text have no position.
 */
export type ScanProblem = Finding & {
  readonly root: string
  readonly pointer: Pointer
  readonly position?: Position
}

const MAX_NAME_CHARS = 60
const MAX_POINTER_CHARS = 200

const quote = (text: string): string => toJsonLine(elideMiddle(text, MAX_NAME_CHARS))

const describeWhat = (problem: ScanProblem): string => {
  switch (problem.kind) {
    case 'duplicate_key':
      return `duplicate key ${quote(problem.key)}`
    case 'forbidden_key':
      return `forbidden key ${quote(problem.key)}`
    case 'unsafe_integer':
      return `integer ${elideMiddle(problem.digits, MAX_NAME_CHARS)} beyond 2^53, which cannot be represented exactly,`
    case 'too_deep':
      return `nesting deeper than ${problem.limit} levels`
    case 'too_many_values':
      return `more than ${problem.limit} values`
    case 'not_json':
      return `${problem.what}, which is not JSON,`
  }
}

const describeStep = (step: string | number): string => {
  if (typeof step === 'number') return `[${step}]`
  return /^[A-Za-z_$][\w$]{0,59}$/.test(step) ? `.${step}` : `[${quote(step)}]`
}

/** Describes where a pointer leads, like `args.edits[0].path`. */
const describePlace = ({ root, pointer }: ScanProblem): string => {
  const place = root + pointer.map(describeStep).join('')
  return elideMiddle(place.startsWith('.') ? place.slice(1) : place, MAX_POINTER_CHARS)
}

/** Describes what is wrong and where, like `duplicate key "path" at args.path (line 1, column 20)`. */
export const describeProblem = (problem: ScanProblem): string => {
  const { position } = problem
  const lines = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`
  return `${describeWhat(problem)} at ${describePlace(problem) || 'the top'}${lines}`
}
