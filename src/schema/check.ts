import type { ProblemData, SchemaProblem } from './problem.ts'
import type { Resource } from './resources.ts'

/** A compiled schema, or one of its keywords: true if the value fits. */
export type Check = (value: unknown, run: Run, seen: Seen | null) => boolean

/** One validation in progress. */
export interface Run {
  /** Where problems are collected; null if only the verdict is wanted, and then the first mismatch ends the run. */
  readonly problems: SchemaProblem[] | null
  /** The path to the current value; tracked only while problems are collected. */
  readonly path: (string | number)[]
  /** The schema resources entered so far, outermost first; tracked only for documents that need it. */
  readonly scope: Resource[]
  steps: number
  depth: number
  /** Why the run stopped early: too much work, too deep, or enough problems. */
  halt: 'steps' | 'depth' | 'full' | null
}

/** Which members of the current value some keyword has evaluated; only the `unevaluated…` keywords ask. */
export interface Seen {
  readonly names: Set<string>
  /** Items before this index. */
  items: number
  readonly indexes: Set<number>
}

/** A hostile schema can ask for exponential work; no legitimate schema and value come near this. */
export const MAX_STEPS = 5_000_000
const MAX_DEPTH = 1000
const MAX_PROBLEMS = 8

/** The schema that accepts everything. */
export const PASS: Check = () => true

/** The schema that accepts nothing. */
export const NOTHING: Check = (_value, run) =>
  run.problems !== null && report(run, 'false', 'is not allowed here')

/** Begins a run; `problems` is null if only the verdict is wanted. */
export function beginRun(problems: SchemaProblem[] | null): Run {
  return { problems, path: [], scope: [], steps: 0, depth: 0, halt: null }
}

/** Reports a problem with the current value; returns false, so that a check can return the result directly. */
export function report(run: Run, keyword: string, message: string, data: ProblemData = {}): false {
  if (run.problems === null || run.halt !== null) return false
  run.problems.push({ pointer: [...run.path], keyword, message, data })
  if (run.problems.length >= MAX_PROBLEMS) run.halt = 'full'
  return false
}

/** True if a loop over members should end because one of them did not fit. */
export function isOver(run: Run): boolean {
  return run.problems === null || run.halt !== null
}

/** True if all checks pass; after a mismatch the rest run only to collect more problems. */
export function all(checks: readonly Check[]): Check {
  const first = checks[0]
  const second = checks[1]
  if (first === undefined) return PASS
  if (second === undefined) return first
  if (checks.length > 2) return allOfMany(checks)
  return (value, run, seen) => {
    if (first(value, run, seen)) return second(value, run, seen)
    if (run.problems !== null) second(value, run, seen)
    return false
  }
}

function allOfMany(checks: readonly Check[]): Check {
  return (value, run, seen) => {
    let fits = true
    for (const check of checks) {
      if (check(value, run, seen)) continue
      if (isOver(run)) return false
      fits = false
    }
    return fits
  }
}

/** Limits the work and the depth of a schema that applies other schemas. */
export function guard(check: Check): Check {
  return (value, run, seen) => {
    run.steps += 1
    if (run.halt !== null) return false
    if (run.steps > MAX_STEPS || run.depth >= MAX_DEPTH) {
      run.halt = run.steps > MAX_STEPS ? 'steps' : 'depth'
      return false
    }
    run.depth += 1
    const fits = check(value, run, seen)
    run.depth -= 1
    return fits
  }
}

/** Applies a check to a member of the current value. */
export function checkInside(check: Check, member: unknown, step: string | number, run: Run): boolean {
  if (run.problems === null) return check(member, run, null)
  run.path.push(step)
  const fits = check(member, run, null)
  run.path.pop()
  return fits
}

/** The verdict of a check whose failure is not a problem yet. */
export function fitsQuietly(check: Check, value: unknown, run: Run, seen: Seen | null): boolean {
  if (run.problems === null) return check(value, run, seen)
  const quiet: Run = { ...run, problems: null }
  const fits = check(value, quiet, seen)
  run.steps = quiet.steps
  run.halt = quiet.halt
  return fits
}

/** The problems that a check finds, kept apart from those of the run. */
export function collectProblems(check: Check, value: unknown, run: Run): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = []
  const separate: Run = { ...run, problems, path: [...run.path] }
  check(value, separate, null)
  run.steps = separate.steps
  if (separate.halt !== 'full') run.halt = separate.halt
  return problems
}

/** Nothing evaluated yet. */
export function beginSeen(): Seen {
  return { names: new Set(), items: 0, indexes: new Set() }
}

/** Adds the members that a matching schema evaluated. */
export function addSeen(to: Seen, from: Seen): void {
  for (const name of from.names) to.names.add(name)
  for (const index of from.indexes) to.indexes.add(index)
  to.items = Math.max(to.items, from.items)
}
