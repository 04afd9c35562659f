import { FORBIDDEN_KEY } from './problem.ts'
import type { Finding } from './problem.ts'

/** A value and the key or index under which its container holds it. */
export type Member = { readonly step: string | number; readonly value: unknown }

/** What a container holds, and what about it no JSON could say; a step names the member that is at fault. */
export type InspectedContainer = {
  readonly members: readonly Member[]
  readonly findings: readonly (Finding & { readonly step?: string | number })[]
}

const notJson = (what: string): Finding => ({ kind: 'not_json', what })

/** True of plain objects and arrays, also of those made in another realm. */
const isPlain = (container: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(container)
  // The prototype of all arrays is an array itself; that of a subclass is not.
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

const lookInto = (container: object): InspectedContainer => {
  if (!isPlain(container)) return { members: [], findings: [notJson('an object of a class')] }
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

/** Looks into a container without running any getter; a proxy that throws is a finding. */
export const inspectContainer = (container: object): InspectedContainer => {
  try {
    return lookInto(container)
  } catch {
    return { members: [], findings: [notJson('an object that cannot be looked into')] }
  }
}
