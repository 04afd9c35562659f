import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { ARRAY_KEYWORDS } from './keywords/array-keywords.ts'
import { all, beginRun, guard, MAX_STEPS, NOTHING, PASS } from './check.ts'
import type { Check, Run } from './check.ts'
import { DOCUMENT_KEYWORDS } from './keywords/document-keywords.ts'
import { pointerTo } from './keyword.ts'
import type { Build, Given, Keyword, Target } from './keyword.ts'
import { LOGIC_KEYWORDS } from './keywords/logic-keywords.ts'
import { OBJECT_KEYWORDS } from './keywords/object-keywords.ts'
import { nameType } from './problem.ts'
import type { SchemaProblem } from './problem.ts'
import { findEndlessReference, REFERENCE_KEYWORDS } from './keywords/reference-keywords.ts'
import { addressOf, createResource, indexResources } from './resources.ts'
import type { Resource, Resources, Spot } from './resources.ts'
import { STRING_KEYWORDS } from './keywords/string-keywords.ts'
import { compileUnevaluated } from './keywords/unevaluated-keywords.ts'
import { compileType, VALUE_KEYWORDS } from './keywords/value-keywords.ts'

/** A compiled schema, or what is wrong with it; `at` is the JSON pointer of the fault. */
export type CompiledSchema =
  | { readonly ok: true; readonly validate: (value: unknown) => readonly SchemaProblem[] }
  | { readonly ok: false; readonly at: string; readonly message: string }

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...DOCUMENT_KEYWORDS,
  ...REFERENCE_KEYWORDS,
  ...VALUE_KEYWORDS,
  ...STRING_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...LOGIC_KEYWORDS,
])

const MAX_NESTING = 256
const MAX_SCHEMAS = 100_000
const FITS: readonly SchemaProblem[] = Object.freeze([])

/** Compiles a JSON Schema document (Draft 2020-12) into plain functions. Nothing outside the document is looked up. */
export function compileSchema(document: JsonObject): CompiledSchema {
  const main = createResource(addressOf(document), document, '')
  const targets = new Map<JsonValue, Target[]>()
  const queue: Target[] = []
  const build: Build = { compile, targetAt, resources, refuse }
  let indexed: Resources | null = null
  let count = 0
  const faults: Fault[] = []

  const root = targetAt({ schema: document, at: '', resource: main })
  // Targets found along the way join the queue.
  for (const target of queue) {
    const { schema, at, resource } = target.spot
    target.check = enterScope(
      resource,
      compileAt({ schema, up: null, steps: at, outer: resource, home: target, depth: 0 }),
    )
  }
  const endless = faults.length === 0 && indexed !== null ? findEndlessReference(queue) : null
  if (endless !== null)
    refuse(endless, 'refers back to itself without descending into the value, so it would never end')
  const fault = faults[0]
  return fault === undefined ? { ok: true, validate: createValidate(root.check) } : { ok: false, ...fault }

  function refuse(at: string, message: string): null {
    faults.push({ at, message })
    return null
  }

  function resources(): Resources {
    return (indexed ??= indexResources(main, refuse))
  }

  function targetAt(spot: Spot): Target {
    // Counted even if known: a schema that refers to another is not a leaf.
    count += 1
    const known = targets.get(spot.schema) ?? []
    for (const target of known) if (target.spot.resource === spot.resource) return target
    const target: Target = { spot, check: PASS, leadsTo: [] }
    targets.set(spot.schema, [...known, target])
    queue.push(target)
    return target
  }

  function compile(schema: JsonValue, up: Given, steps: Given['steps'], home: Target | null): Check {
    return compileAt({ schema, up, steps, outer: up.resource, home, depth: up.depth + 1 })
  }

  function compileAt({ schema, up, steps, outer, home, depth }: Place): Check {
    if (typeof schema === 'boolean') return schema ? PASS : NOTHING
    const isObject = isJsonObject(schema)
    if (faults.length > 0 || !isObject || depth > MAX_NESTING || count > MAX_SCHEMAS) {
      if (faults.length === 0) refuse(placeOf(up, steps), describeMisfit(schema, depth))
      return PASS
    }
    const before = (count += 1)
    const resource = (Object.hasOwn(schema, '$id') ? resources().byRoot.get(schema) : null) ?? outer
    const check = compileObject({ schema, build, up, steps, resource, home, depth })
    if (count === before) return check
    return resource === outer ? guard(check) : enterScope(resource, guard(check))
  }

  /** Tracks the path to a value if a `$dynamicRef` may need it; schemas that contain one have been indexed by now. */
  function enterScope(resource: Resource, check: Check): Check {
    if (indexed?.isDynamic !== true) return check
    return (value, run, seen) => {
      run.scope.push(resource)
      const fits = check(value, run, seen)
      run.scope.pop()
      return fits
    }
  }
}

/** A schema to be compiled, and its location. */
interface Place extends Pick<Given, 'up' | 'steps' | 'home' | 'depth'> {
  readonly schema: JsonValue
  /** The enclosing resource; a schema with its own address begins another one. */
  readonly outer: Resource
}

interface Fault {
  readonly at: string
  readonly message: string
}

function placeOf(up: Given | null, steps: Given['steps']): string {
  return typeof steps === 'string' || up === null ? String(steps) : pointerTo(up, ...steps)
}

function describeMisfit(schema: JsonValue, depth: number): string {
  if (!isJsonObject(schema)) return `must be a schema, an object or a boolean, not ${nameType(schema)}`
  return depth > MAX_NESTING
    ? `is nested deeper than ${MAX_NESTING} schemas`
    : `is one schema too many; a document may hold ${MAX_SCHEMAS}`
}

function compileObject(given: Given): Check {
  const type = compileType(given)
  const checks: Check[] = []
  let isOpen = true
  for (const keyword of Object.keys(given.schema)) {
    if (keyword === 'unevaluatedProperties' || keyword === 'unevaluatedItems') isOpen = false
    const check = KEYWORDS.get(keyword)?.(given, keyword) ?? null
    if (check !== null) checks.push(check)
  }
  const rest = isOpen ? all(checks) : compileUnevaluated(given, all(checks))
  if (type === null) return rest
  return rest === PASS ? type : (value, run, seen) => type(value, run, seen) && rest(value, run, seen)
}

function createValidate(check: Check): (value: unknown) => readonly SchemaProblem[] {
  return (value) => {
    const quick = beginRun(null)
    const fits = check(value, quick, null)
    if (quick.halt !== null) return [describeHalt(quick)]
    if (fits) return FITS
    const problems: SchemaProblem[] = []
    const thorough = beginRun(problems)
    check(value, thorough, null)
    return problems.length > 0 ? problems : [describeHalt(thorough)]
  }
}

function describeHalt({ halt }: Run): SchemaProblem {
  const message =
    halt === 'depth'
      ? 'goes too deep into the references of its schema'
      : `takes more than ${MAX_STEPS} steps to check, which is where checking ends`
  return { pointer: [], keyword: '$schema', message, data: {} }
}
