/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** True for a plain JSON object, false for null, arrays and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The own fields of what another program or a client gave, without what it inherits: a prototype must not answer in its
 * place. What is not an object has none.
 */
export function ownFields(value: unknown): Readonly<Record<string, unknown>> {
  return { __proto__: null, ...(isJsonObject(value) ? value : {}) }
}

/** The own elements of a list, in order; a hole is undefined. */
export function ownElements(value: unknown): readonly unknown[] {
  return Array.isArray(value)
    ? Array.from(value, (one: unknown, at) => (Object.hasOwn(value, at) ? one : undefined))
    : []
}

/** How deep arguments may nest; their own object is level 1. */
export const MAX_DEPTH = 64

/** Parses JSON, or returns undefined; for callers that do not report what is wrong with the text. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** 2^53: up to here every integer has its own number. */
export const MAX_INTEGER = 9_007_199_254_740_992

const MAX_DIGITS = String(MAX_INTEGER)

/**
 * Whether a JSON number is beyond 2^53 in either direction. Decided by its digits, because as a number 2^53 + 1 has
 * already been rounded to 2^53.
 */
export const isBeyondIntegers = (token: string): boolean => {
  if (token.length < MAX_DIGITS.length && !/[eE]/.test(token)) return false
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').split(/e/i)
  return isBeyond(mantissa, Number(exponent))
}

const isBeyond = (mantissa: string, exponent: number): boolean => {
  const [whole = '', fraction = ''] = mantissa.split('.')
  const written = whole + fraction
  const digits = written.replace(/^0+/, '')
  if (digits === '') return false
  const wholeDigits = whole.length - (written.length - digits.length) + exponent
  if (wholeDigits !== MAX_DIGITS.length) return wholeDigits > MAX_DIGITS.length
  const start = digits.slice(0, MAX_DIGITS.length).padEnd(MAX_DIGITS.length, '0')
  return start > MAX_DIGITS || (start === MAX_DIGITS && /[1-9]/.test(digits.slice(MAX_DIGITS.length)))
}
