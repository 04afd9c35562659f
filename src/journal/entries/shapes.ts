import { isJsonObject } from '../../core/json/value.ts'

/** Whether a parsed value can be one of its type. */
export type Check = (value: unknown) => boolean

/** A check for each field of a type; one that is missing does not compile. */
export type Fields<T> = { readonly [Key in keyof T]-?: Check }

/** The most milliseconds that a date can be away from 1970. */
const MOST_MS = 8.64e15
/** Ids, digests, codes and the like; none of them has a blank, a line end or a control character in it. */
const WORD = /^[!-~]{0,256}$/

export const isAnything: Check = () => true
export const isText: Check = (value) => typeof value === 'string'
export const isWord: Check = (value) => typeof value === 'string' && WORD.test(value)
export const isNumber: Check = Number.isFinite
export const isQuestion: Check = (value) => typeof value === 'boolean'

/** A point in time that can be shown as a date. */
export const isTime: Check = (value) => typeof value === 'number' && Math.abs(value) <= MOST_MS

/** One of the words; those of a type are listed as the keys of a record, so that none is left out. */
export function oneOf<Word extends string>(words: Readonly<Record<Word, unknown>>): Check {
  const known = new Set(Object.keys(words))
  return (value) => typeof value === 'string' && known.has(value)
}

/** A field that may be absent. */
export function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

/** A field that may be null, or absent in logs of earlier versions. */
export function nullable(check: Check): Check {
  return (value) => value === undefined || value === null || check(value)
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

/** An object with these fields. Others do no harm: versions to come may add them. */
export function shapeOf<T>(fields: Fields<T>): Check {
  const rows = Object.entries<Check>(fields)
  return (value) => isJsonObject(value) && rows.every(([name, check]) => check(value[name]))
}

/** An object with values of one kind under any names. */
export function recordOf(check: Check): Check {
  return (value) => isJsonObject(value) && Object.values(value).every(check)
}
