import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { nearest } from '../../core/text/nearest.ts'
import { checkInside, isOver, NOTHING, PASS, report } from '../check.ts'
import type { Check, Run, Seen } from '../check.ts'
import { compileInside, isFirstOf, pointerTo, readEntries, readNames, valueOf } from '../keyword.ts'
import type { Given, Keyword } from '../keyword.ts'
import { compilePattern } from '../pattern/pattern.ts'
import type { Matches } from '../pattern/pattern.ts'
import { quote, quoteAll } from '../problem.ts'

/** What the schema says about one name. */
interface Member {
  readonly check: Check
  readonly isRequired: boolean
  /** Whether it is listed under `properties`; a required name need not be. */
  readonly isDeclared: boolean
}

interface Shape {
  readonly members: ReadonlyMap<string, Member>
  readonly required: readonly string[]
  readonly patterns: readonly { readonly matches: Matches; readonly check: Check }[]
  /** The schema of `additionalProperties`; null if it is absent. */
  readonly rest: Check | null
}

const GROUP = ['properties', 'patternProperties', 'additionalProperties', 'required']
const MAX_CANDIDATES = 200
const isOwn = Object.prototype.hasOwnProperty

/** `properties`, `patternProperties`, `additionalProperties` and `required` in one pass over the value. */
export const compileProperties: Keyword = (given, keyword) => {
  if (!isFirstOf(GROUP, given, keyword)) return null
  const { members, required, patterns, rest } = readShape(given)
  const isPlain = patterns.length === 0
  return (value, run, seen) => {
    if (!isJsonObject(value)) return true
    let fits = true
    let found = 0
    for (const name in value) {
      if (!isOwn.call(value, name)) continue
      const inner = value[name]
      // JSON omits undefined members.
      if (inner === undefined) continue
      run.steps += 1
      const member = members.get(name)
      if (member?.isRequired === true) found += 1
      const isFitting =
        isPlain && member?.isDeclared === true
          ? member.check === PASS || checkInside(member.check, inner, name, run)
          : checkMember(value, name, run, seen)
      if (isFitting) {
        if (seen !== null && member?.isDeclared === true) seen.names.add(name)
        continue
      }
      if (isOver(run)) return false
      fits = false
    }
    if (found === required.length) return fits
    if (run.problems !== null) reportMissing(required, value, run)
    return false
  }

  function checkMember(value: JsonObject, name: string, run: Run, seen: Seen | null): boolean {
    const member = members.get(name)
    const inner = value[name]
    let isKnown = member?.isDeclared === true
    let fits = member === undefined || checkInside(member.check, inner, name, run)
    for (const { matches, check } of patterns) {
      if (!matches(name, run)) continue
      isKnown = true
      fits = checkInside(check, inner, name, run) && fits
    }
    if (!isKnown && rest === NOTHING) {
      return run.problems !== null && reportUnknown('additionalProperties', name, declared(members), run)
    }
    if (!isKnown && rest !== null) fits = checkInside(rest, inner, name, run) && fits
    if (isKnown || rest !== null) seen?.names.add(name)
    return fits
  }
}

function readShape(given: Given): Shape {
  const required = valueOf(given, 'required')
  const names = required === undefined ? [] : readNames(given, required, 'required')
  const members = new Map<string, Member>()
  for (const name of names) members.set(name, { check: PASS, isRequired: true, isDeclared: false })
  for (const [name, schema] of readEntries(given, 'properties')) {
    const check = compileInside(given, schema, 'properties', name)
    members.set(name, { check, isRequired: members.has(name), isDeclared: true })
  }
  const rest = valueOf(given, 'additionalProperties')
  return {
    members,
    required: names,
    patterns: valueOf(given, 'patternProperties') === undefined ? [] : readPatterns(given),
    rest: rest === undefined ? null : compileInside(given, rest, 'additionalProperties'),
  }
}

function declared(members: Shape['members']): readonly string[] {
  return [...members].filter(([, { isDeclared }]) => isDeclared).map(([name]) => name)
}

function readPatterns(given: Given): Shape['patterns'] {
  return readEntries(given, 'patternProperties').flatMap(([source, schema]) => {
    const check = compileInside(given, schema, 'patternProperties', source)
    const pattern = compilePattern(source)
    if (pattern.ok) return [{ matches: pattern.matches, check }]
    given.build.refuse(pointerTo(given, 'patternProperties', source), pattern.message)
    return []
  })
}

function reportMissing(required: readonly string[], value: object, run: Run): void {
  for (const name of required) {
    if (isOwn.call(value, name) && Reflect.get(value, name) !== undefined) continue
    report(run, 'required', `needs ${quote(name)}`, { wanted: required, property: name })
  }
}

/** Reports a property that is not allowed, and suggests the one that was probably meant. */
export function reportUnknown(keyword: string, name: string, known: readonly string[], run: Run): false {
  const meant = nearest(name, known.slice(0, MAX_CANDIDATES))
  const hint =
    meant !== null
      ? `; did you mean ${quote(meant)}?`
      : known.length > 0 && !hasNamed(run, quoteAll(known))
        ? `; known are ${quoteAll(known)}`
        : ''
  return report(run, keyword, `has the unknown property ${quote(name)}${hint}`, {
    wanted: false,
    property: name,
  })
}

/** Whether the same names were listed before; once is enough for all that are unknown. */
function hasNamed({ problems }: Run, names: string): boolean {
  return problems?.some(({ message }) => message.endsWith(names)) ?? false
}
