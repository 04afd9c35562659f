import { isJsonObject } from '../../core/json/value.ts'
import { fitsQuietly, collectProblems, isOver, report } from '../check.ts'
import type { Check } from '../check.ts'
import { compileHere, compileInside, readCount, readEntries, readNames, valueOf } from '../keyword.ts'
import type { Keyword } from '../keyword.ts'
import { countOf, quote } from '../problem.ts'
import { compileProperties } from './properties-keyword.ts'

function countProperties(value: object): number {
  let count = 0
  for (const name of Object.keys(value)) if (Reflect.get(value, name) !== undefined) count += 1
  return count
}

function has(value: object, name: string): boolean {
  return Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined
}

const compileMinProperties: Keyword = (given, keyword) => {
  const least = readCount(given, keyword)
  if (least === null) return null
  return (value, run) =>
    !isJsonObject(value) ||
    countProperties(value) >= least ||
    (run.problems !== null &&
      report(run, keyword, `must have at least ${countOf(least, 'property')}`, { wanted: least }))
}

const compileMaxProperties: Keyword = (given, keyword) => {
  const most = readCount(given, keyword)
  if (most === null) return null
  return (value, run) =>
    !isJsonObject(value) ||
    countProperties(value) <= most ||
    (run.problems !== null &&
      report(run, keyword, `must have at most ${countOf(most, 'property')}`, { wanted: most }))
}

const compilePropertyNames: Keyword = (given, keyword) => {
  const wanted = valueOf(given, keyword)
  if (wanted === undefined) return null
  const check = compileInside(given, wanted, keyword)
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const name of Object.keys(value)) {
      run.steps += 1
      if (value[name] === undefined || fitsQuietly(check, name, run, null)) continue
      fits = false
      if (run.problems !== null) {
        const [problem] = collectProblems(check, name, run)
        const why = problem === undefined ? 'is not allowed' : problem.message
        report(run, keyword, `has a property named ${quote(name)}, which ${why}`, { wanted, property: name })
      }
      if (isOver(run)) return false
    }
    return fits
  }
}

const compileDependentRequired: Keyword = (given, keyword) => {
  const needs = readEntries(given, keyword).map(
    ([name, names]) => [name, readNames(given, names, keyword, name)] as const,
  )
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const [name, names] of needs) {
      if (!has(value, name)) continue
      for (const needed of names) {
        if (has(value, needed)) continue
        fits = false
        if (run.problems === null) return false
        report(run, keyword, `has ${quote(name)} and so needs ${quote(needed)}`, {
          wanted: names,
          property: needed,
        })
      }
    }
    return fits
  }
}

const compileDependentSchemas: Keyword = (given, keyword) => {
  const checks = readEntries(given, keyword).map(([name, schema]): readonly [string, Check] => [
    name,
    compileHere(given, schema, keyword, name),
  ])
  return (value, run, seen) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const [name, check] of checks) {
      if (!has(value, name) || check(value, run, seen)) continue
      if (isOver(run)) return false
      fits = false
    }
    return fits
  }
}

/** Keywords about objects. */
export const OBJECT_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['properties', compileProperties],
  ['patternProperties', compileProperties],
  ['additionalProperties', compileProperties],
  ['required', compileProperties],
  ['minProperties', compileMinProperties],
  ['maxProperties', compileMaxProperties],
  ['propertyNames', compilePropertyNames],
  ['dependentRequired', compileDependentRequired],
  ['dependentSchemas', compileDependentSchemas],
]
