import { createLocator } from '../text/position.ts'
import { isBeyondIntegers, MAX_DEPTH } from './value.ts'
import { ARGS, FORBIDDEN_KEY } from './problem.ts'
import type { Finding, ScanProblem } from './problem.ts'
import type { JsonValue } from './value.ts'
import { walkJson } from './walk.ts'
import type { JsonVisitor } from './walk.ts'

export { describeProblem } from './problem.ts'
export { MAX_DEPTH } from './value.ts'
export type { Pointer, ScanProblem } from './problem.ts'
export { scanJsonValue } from './scan-value.ts'

/** Report at most this many problems per call, so that one call's faults do not hide the next one's. */
const MAX_PROBLEMS = 20

/**
 * `argsAt` is the number of keys and indexes that lead to the arguments, where depth 1 begins: 0 if the text is the
 * arguments, 1 for one call `{id, name, args}`, 2 for an array of calls. Values next to the arguments are checked by
 * the same depth limit; the first steps of a problem's pointer tell which call and field it belongs to.
 */
export type ScanOptions = { readonly argsAt?: number; readonly maxDepth?: number }

/** The value with everything that is wrong in it, or where the text stops being JSON. */
export type ScannedText =
  | { readonly ok: true; readonly value: JsonValue; readonly problems: readonly ScanProblem[] }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column: number }

/** An open container: the index it has reached, or the keys seen so far. */
type Open = { index: number; keys: Set<string> | undefined }

const decodeKey = (quoted: string): string => {
  const key: unknown = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
  return String(key)
}

const createJudge = (text: string, argsAt: number, deepest: number, limit: number) => {
  const problems: ScanProblem[] = []
  const locate = createLocator(text)
  const root = argsAt === 0 ? ARGS : ''
  const path: (string | number)[] = []
  const opened: Open[] = []
  let depth = 0
  let reported = 0

  const report = (finding: Finding, pointerLength: number, offset: number): void => {
    reported += 1
    if (reported > MAX_PROBLEMS) return
    problems.push({ ...finding, root, pointer: path.slice(0, pointerLength), position: locate(offset) })
  }
  // Nothing else is reported beyond the maximum depth: the depth alone rejects the value, and pointers stay short.
  const current = (): Open | undefined => (depth > deepest ? undefined : opened[depth - 1])
  const stepTo = (step: string | number): void => {
    path[depth - 1] = step
    if (depth <= argsAt) reported = 0
  }

  const visitor: JsonVisitor = {
    open: (offset) => {
      depth += 1
      if (depth <= deepest) opened[depth - 1] = { index: -1, keys: undefined }
      else if (depth === deepest + 1) report({ kind: 'too_deep', limit }, depth - 1, offset)
    },
    close: () => {
      depth -= 1
    },
    key: (start, end) => {
      const container = current()
      if (container === undefined) return
      const key = decodeKey(text.slice(start, end))
      stepTo(key)
      container.keys ??= new Set()
      if (container.keys.has(key)) report({ kind: 'duplicate_key', key }, depth, start)
      else if (key === FORBIDDEN_KEY) report({ kind: 'forbidden_key', key }, depth, start)
      container.keys.add(key)
    },
    item: () => {
      const container = current()
      if (container === undefined) return
      container.index += 1
      stepTo(container.index)
    },
    number: (start, end) => {
      if (depth > deepest) return
      const digits = text.slice(start, end)
      if (isBeyondIntegers(digits)) report({ kind: 'unsafe_integer', digits }, depth, start)
    },
  }
  return { visitor, problems }
}

/**
 * Parses JSON text and reports what `JSON.parse` silently accepts: duplicate keys, the key `__proto__`, integers
 * beyond 2^53 and nesting too deep to be written back. Linear in time, and safe at any depth.
 */
export const scanJsonText = (text: string, options: ScanOptions = {}): ScannedText => {
  const { argsAt = 0, maxDepth = MAX_DEPTH } = options
  const { visitor, problems } = createJudge(text, argsAt, argsAt + maxDepth, maxDepth)
  const failure = walkJson(text, visitor)
  if (failure !== undefined) {
    return { ok: false, message: failure.message, ...createLocator(text)(failure.offset) }
  }
  try {
    const value: JsonValue = JSON.parse(text)
    return { ok: true, value, problems }
  } catch {
    return { ok: false, message: 'the text cannot be parsed as JSON', line: 1, column: 1 }
  }
}
