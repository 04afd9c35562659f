import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { report } from '../check.ts'
import type { Check, Run } from '../check.ts'
import { isSameJson } from '../equal.ts'
import { pointerTo, readNumber, refuseForm, valueOf } from '../keyword.ts'
import type { Given, Keyword } from '../keyword.ts'
import { nameType, quote, quoteAll } from '../problem.ts'

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: (value) => Array.isArray(value),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  object: isJsonObject,
  string: (value) => typeof value === 'string',
}

/** The checks for single types, shared by most schemas. */
const TYPE_CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries(IS).map(([type, is]) => [
    type,
    (value, run) => is(value) || (run.problems !== null && reportType([type], type, value, run)),
  ]),
)

/** The check for `type`, which runs first: for a value of the wrong type the others add nothing. */
export function compileType(given: Given): Check | null {
  const wanted = valueOf(given, 'type')
  if (wanted === undefined) return null
  const check = typeof wanted === 'string' ? TYPE_CHECKS.get(wanted) : undefined
  return check ?? compileTypes(given, wanted)
}

function compileTypes(given: Given, wanted: JsonValue): Check | null {
  const at = pointerTo(given, 'type')
  const words = Array.isArray(wanted) ? wanted : [wanted]
  const tests: ((value: unknown) => boolean)[] = []
  for (const word of words) {
    const test = typeof word === 'string' && Object.hasOwn(IS, word) ? IS[word] : undefined
    if (test === undefined) {
      return given.build.refuse(at, `must be one of ${Object.keys(IS).join(', ')}, not ${quote(word)}`)
    }
    tests.push(test)
  }
  if (tests.length === 0) return given.build.refuse(at, 'must hold at least one type')
  if (new Set(words).size < words.length) return given.build.refuse(at, 'names a type twice')
  return (value, run) => {
    for (const is of tests) if (is(value)) return true
    return run.problems !== null && reportType(words, wanted, value, run)
  }
}

function reportType(words: readonly JsonValue[], wanted: JsonValue, value: unknown, run: Run): false {
  return report(run, 'type', `must be ${words.join(' or ')}, not ${nameType(value)}`, { wanted })
}

const compileEnum: Keyword = (given, keyword) => {
  const wanted = valueOf(given, keyword)
  if (!Array.isArray(wanted)) return refuseForm(given, keyword, 'an array')
  const scalars = new Set<unknown>(wanted.filter((value) => typeof value !== 'object' || value === null))
  const containers = wanted.filter((value) => typeof value === 'object' && value !== null)
  return (value, run) =>
    scalars.has(value) ||
    containers.some((allowed) => isSameJson(value, allowed)) ||
    (run.problems !== null && report(run, 'enum', `must be one of ${quoteAll(wanted)}`, { wanted }))
}

const compileConst: Keyword = (given, keyword) => {
  const wanted: JsonValue = valueOf(given, keyword) ?? null
  return (value, run) =>
    isSameJson(value, wanted) ||
    (run.problems !== null && report(run, 'const', `must be ${quote(wanted)}`, { wanted }))
}

function bound(sign: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (given, keyword) => {
    const limit = readNumber(given, keyword)
    if (limit === null) return null
    return (value, run) =>
      typeof value !== 'number' ||
      holds(value, limit) ||
      (run.problems !== null && report(run, keyword, `must be ${sign} ${limit}`, { wanted: limit }))
  }
}

const compileMultipleOf: Keyword = (given, keyword) => {
  const unit = readNumber(given, keyword)
  if (unit === null) return null
  if (unit <= 0) return given.build.refuse(pointerTo(given, keyword), `must be greater than 0, not ${unit}`)
  return (value, run) =>
    typeof value !== 'number' ||
    isMultipleOf(value, unit) ||
    (run.problems !== null && report(run, keyword, `must be a multiple of ${unit}`, { wanted: unit }))
}

/** Keywords about values of any type, and about numbers. */
export const VALUE_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['enum', compileEnum],
  ['const', compileConst],
  ['minimum', bound('>=', (value, limit) => value >= limit)],
  ['maximum', bound('<=', (value, limit) => value <= limit)],
  ['exclusiveMinimum', bound('>', (value, limit) => value > limit)],
  ['exclusiveMaximum', bound('<', (value, limit) => value < limit)],
  ['multipleOf', compileMultipleOf],
]

/** Whether a number is an integer multiple of another, both taken as decimals as written. */
function isMultipleOf(value: number, unit: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0
  if (!Number.isFinite(value)) return false
  const one = toDecimal(value)
  const other = toDecimal(unit)
  const exponent = Math.min(one.exponent, other.exponent)
  // Scaled to integers: in binary floating point 0.3 / 0.1 is 2.9999999999999996.
  return scale(one, exponent) % scale(other, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
