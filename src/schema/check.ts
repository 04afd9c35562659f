import type { ProblemData, SchemaProblem } from './problem.ts'
import type { Resource } from './resources.ts'

/** A compiled schema, or one keyword of it: true if the value fits. */
export type Check = (value: unknown, run: Run, seen: Seen | null) => boolean

/** One validation under way. */
export interface Run {
  /** Where problems go; null while only the verdict is wanted, and then the first misfit ends the run. */
  readonly problems: SchemaProblem[] | null
  /** The way to the value at hand; kept only while problems are gathered. */
  readonly path: (string | number)[]
  /** The schema resources entered so far, outermost first; kept only for documents that need it. */
  readonly scope: Resource[]
  steps: number
  depth: number
  /** Why nothing more is looked at: too much work, too deep, or problems enough. */
  halt: 'steps' | 'depth' | 'full' | null
}

/** Which members of the value at hand some keyword has looked at; only `unevaluated...` keywords ask. */
export interface Seen {
  readonly names: Set<string>
  /** Items before this index. */
  items: number
  readonly indexes: Set<number>
}

/** A hostile schema can ask for exponential work; no honest pair of schema and value comes near this. */
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

/** Notes a problem with the value at hand, and is false like the check that found it. */
export function report(run: Run, keyword: string, message: string, data: ProblemData = {}): false {
  if (run.problems === null || run.halt !== null) return false
  run.problems.push({ pointer: [...run.path], keyword, message, data })
  if (run.problems.length >= MAX_PROBLEMS) run.halt = 'full'
  return false
}

/** True if a loop over members should end, since one of them did not fit. */
export function isOver(run: Run): boolean {
  return run.problems === null || run.halt !== null
}

/** Holds when all hold; after a misfit the rest is looked at only to gather more problems. */
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

/** Counts the work and the depth of a schema that applies other schemas. */
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

/** Applies a check to a member of the value at hand. */
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

/** What a check objects to, kept apart from the problems of the run. */
export function collectProblems(check: Check, value: unknown, run: Run): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = []
  const separate: Run = { ...run, problems, path: [...run.path] }
  check(value, separate, null)
  run.steps = separate.steps
  if (separate.halt !== 'full') run.halt = separate.halt
  return problems
}

/** Nothing seen yet. */
export function beginSeen(): Seen {
  return { names: new Set(), items: 0, indexes: new Set() }
}

/** Takes over what a schema that fitted has seen. */
export function addSeen(to: Seen, from: Seen): void {
  for (const name of from.names) to.names.add(name)
  for (const index of from.indexes) to.indexes.add(index)
  to.items = Math.max(to.items, from.items)
}
