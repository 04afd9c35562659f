import { MAX_DEPTH, MAX_INTEGER } from './value.ts'
import { ARGS, FORBIDDEN_KEY } from './problem.ts'
import type { Finding, ScanProblem } from './problem.ts'

/** Larger values are rejected: a few objects that contain one another repeatedly would expand to endless text. */
const MAX_VALUES = 1_000_000
const MAX_PROBLEMS = 20

/** How many levels and values a container has, itself included. */
type Extent = { height: number; size: number }

/** A container on the path from the root to the current value. */
type Open = Extent & { readonly container: object; readonly members: readonly Member[]; next: number }

const notJson = (what: string): Finding => ({ kind: 'not_json', what })

const judgeScalar = (value: unknown): Finding | undefined => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value !== 'number') return notJson(value === undefined ? 'undefined' : `a ${typeof value}`)
  if (!Number.isFinite(value)) return notJson(String(value))
  const isUnsafe = Number.isInteger(value) && Math.abs(value) > MAX_INTEGER
  return isUnsafe ? { kind: 'unsafe_integer', digits: String(value) } : undefined
}

const NONE: readonly ScanProblem[] = []

const MAX_PLAIN_KEYS = 64

/** Whether a value is an object of a few scalars with nothing unusual about it, as most arguments are. */
const isPlainObject = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  try {
    if (Object.getPrototypeOf(value) !== Object.prototype) return false
    const keys = Reflect.ownKeys(value)
    return keys.length <= MAX_PLAIN_KEYS && keys.every((key) => isPlainMember(value, key))
  } catch {
    // A proxy that throws; the full scan reports it.
    return false
  }
}

const isPlainMember = (container: object, key: string | symbol): boolean => {
  if (typeof key !== 'string' || key === FORBIDDEN_KEY) return false
  const property = Reflect.getOwnPropertyDescriptor(container, key)
  if (property === undefined || property.enumerable !== true || property.get !== undefined) return false
  if (property.set !== undefined) return false
  const member: unknown = property.value
  return typeof member === 'object' ? member === null : judgeScalar(member) === undefined
}

/**
 * Reports what is wrong with a value passed by a program: the faults JSON text can have, and anything that conversion
 * to JSON would lose, change or execute. Calls no getter and no `toJSON`, and is safe at any depth and with cycles.
 */
export const scanJsonValue = (
  value: unknown,
  { maxDepth = MAX_DEPTH }: { readonly maxDepth?: number } = {},
): readonly ScanProblem[] => {
  if (maxDepth > 0 && isPlainObject(value)) return NONE
  const problems: ScanProblem[] = []
  const path: (string | number)[] = []
  const opened: Open[] = []
  const ancestors = new Set<object>()
  const known = new Map<object, Extent>()
  let values = 0

  const report = (finding: Finding, ...steps: (string | number)[]): void => {
    problems.push({ ...finding, root: ARGS, pointer: [...path, ...steps] })
  }

  const addToParent = (extent: Extent): void => {
    const parent = opened.at(-1)
    if (parent === undefined) return
    parent.height = Math.max(parent.height, extent.height + 1)
    parent.size += extent.size
  }

  const enter = (container: object): void => {
    const seen = known.get(container)
    const depth = opened.length + (seen?.height ?? 1)
    if (ancestors.has(container)) report(notJson('an object that contains itself'))
    else if (depth > maxDepth) report({ kind: 'too_deep', limit: maxDepth })
    else if (seen !== undefined) {
      values += seen.size
      addToParent(seen)
    } else {
      const { members, findings } = inspectContainer(container)
      for (const { step, ...finding } of findings) report(finding, ...(step === undefined ? [] : [step]))
      ancestors.add(container)
      opened.push({ container, members, next: 0, height: 1, size: 1 })
      values += 1
    }
  }

  const visit = (visited: unknown): void => {
    if (typeof visited === 'object' && visited !== null) {
      enter(visited)
      return
    }
    values += 1
    addToParent({ height: 0, size: 1 })
    const finding = judgeScalar(visited)
    if (finding !== undefined) report(finding)
  }

  const leave = ({ container, height, size }: Open): void => {
    opened.pop()
    ancestors.delete(container)
    known.set(container, { height, size })
    addToParent({ height, size })
  }

  visit(value)
  for (let open = opened.at(-1); open !== undefined; open = opened.at(-1)) {
    if (values > MAX_VALUES)
      return [...problems, { kind: 'too_many_values', limit: MAX_VALUES, root: ARGS, pointer: [] }]
    if (problems.length >= MAX_PROBLEMS) break
    path.length = opened.length - 1
    const member = open.members[open.next]
    open.next += 1
    if (member === undefined) leave(open)
    else {
      path.push(member.step)
      visit(member.value)
    }
  }
  return problems
}

/** A value and the key or index under which its container holds it. */
type Member = { readonly step: string | number; readonly value: unknown }

/** A container's members, and what JSON cannot express about it; a step names the offending member. */
type InspectedContainer = {
  readonly members: readonly Member[]
  readonly findings: readonly (Finding & { readonly step?: string | number })[]
}

/** True for plain objects and arrays, including those from another realm. */
const isPlain = (container: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(container)
  // `Array.prototype` is itself an array; the prototype of a subclass is not.
  if (Array.isArray(container)) return Array.isArray(prototype)
  if (typeof prototype !== 'object' || prototype === null) return prototype === null
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

const judgeProperty = (key: string, isArray: boolean, property: PropertyDescriptor): Finding | undefined => {
  if (property.get !== undefined || property.set !== undefined) return notJson('a getter or setter')
  if (property.enumerable !== true) return notJson('a property that is not enumerable')
  if (isArray && !/^\d+$/.test(key)) return notJson('a named property of an array')
  return key === FORBIDDEN_KEY ? { kind: 'forbidden_key', key } : undefined
}

const inspect = (container: object): InspectedContainer => {
  if (!isPlain(container)) return { members: [], findings: [notJson('an instance of a class')] }
  const isArray = Array.isArray(container)
  const members: Member[] = []
  const findings: (Finding & { readonly step?: string | number })[] = []
  for (const key of Reflect.ownKeys(container)) {
    if (isArray && key === 'length') continue
    const property = Reflect.getOwnPropertyDescriptor(container, key)
    if (typeof key === 'symbol' || property === undefined) {
      findings.push(notJson('a property named by a symbol'))
      continue
    }
    const step = isArray && /^\d+$/.test(key) ? Number(key) : key
    const finding = judgeProperty(key, isArray, property)
    if (finding === undefined) members.push({ step, value: property.value })
    else findings.push({ ...finding, step })
  }
  if (isArray && findings.length === 0 && members.length !== container.length) {
    findings.push(notJson('an array with holes'))
  }
  return { members, findings }
}

/** Inspects a container without calling getters; a proxy that throws is a finding. */
const inspectContainer = (container: object): InspectedContainer => {
  try {
    return inspect(container)
  } catch {
    return { members: [], findings: [notJson('an object that cannot be inspected')] }
  }
}
