import { failAt, notExpected } from './value-kind.ts'
import type { Reading, Tightened, ValueKind } from './value-kind.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly tighter: 'lower' | 'higher' | 'never'
  readonly isZeroUnlimited?: boolean
}

const replace = <T>(_base: T, next: T): T => next

/** The proposal if it is at least as tight, by a measure that grows with tightness; otherwise the base. */
function tighterOf<T>(base: T, proposed: T, tightness: (value: T) => number): Tightened<T> {
  return tightness(proposed) >= tightness(base) ? { value: proposed } : { value: base, refused: proposed }
}

/** The base, whatever is proposed. */
export function keepBase<T>(base: T, proposed: T): Tightened<T> {
  const isSame = JSON.stringify(base) === JSON.stringify(proposed)
  return isSame ? { value: base } : { value: base, refused: proposed }
}

/** A switch; `tighter` names the position that allows less, if one does. */
export function boolean(tighter: 'true' | 'false' | 'never'): ValueKind<boolean> {
  const expected = 'true or false'
  return {
    type: 'boolean',
    tighter,
    expected,
    read: (raw) => (typeof raw === 'boolean' ? { ok: true, value: raw } : notExpected(expected, raw)),
    layer: replace,
    tighten: (base, proposed) =>
      tighter === 'never'
        ? keepBase(base, proposed)
        : tighterOf(base, proposed, (value) => (String(value) === tighter ? 1 : 0)),
    schema: () => ({ type: 'boolean' }),
  }
}

function numeric(type: 'integer' | 'number', bounds: Bounds): ValueKind<number> {
  const { min, max, tighter, isZeroUnlimited = false } = bounds
  const expected = `${type === 'integer' ? 'a whole number' : 'a number'} from ${String(min)} to ${String(max)}`
  const size = (value: number): number => (isZeroUnlimited && value === 0 ? Infinity : value)

  function read(raw: unknown): Reading<number> {
    const isInKind =
      typeof raw === 'bigint' ||
      (typeof raw === 'number' && (type === 'integer' ? Number.isInteger(raw) : !Number.isNaN(raw)))
    if (!isInKind) {
      const isQuoted = typeof raw === 'string' && /^[+-]?\d+(\.\d+)?$/.test(raw)
      return notExpected(expected, raw, isQuoted ? 'write it without quotes' : undefined)
    }
    if (raw < min || raw > max)
      return failAt({ message: `it must be ${expected}; ${String(raw)} is out of range` })
    // Adding 0 turns the float -0.0 into 0.
    return { ok: true, value: Number(raw) + 0 }
  }

  return {
    type,
    tighter,
    expected,
    min,
    max,
    isZeroUnlimited,
    read,
    layer: replace,
    tighten: (base, proposed) =>
      tighter === 'never'
        ? keepBase(base, proposed)
        : tighterOf(base, proposed, (value) => (tighter === 'lower' ? -size(value) : size(value))),
    schema: () => ({ type, minimum: min, maximum: max }),
  }
}

/** A whole number within bounds. */
export function integer(bounds: Bounds): ValueKind<number> {
  return numeric('integer', bounds)
}

/** Any number within bounds. */
export function number(bounds: Bounds): ValueKind<number> {
  return numeric('number', bounds)
}

/** One of several words, given from the loosest to the tightest; an alias is read as the word it stands for. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  aliases: Readonly<Record<string, Words[number]>> = {},
): ValueKind<Words[number]> {
  const expected = oneOf(words)

  function read(raw: unknown): Reading<Words[number]> {
    const alias = typeof raw === 'string' && Object.hasOwn(aliases, raw) ? aliases[raw] : undefined
    const value = alias ?? words.find((word) => word === raw)
    if (value !== undefined) return { ok: true, value }
    return failAt({
      message: `it must be ${expected}`,
      found: { value: raw },
      meant: { given: raw, among: words },
    })
  }

  return {
    type: 'choice',
    tighter: 'order',
    expected,
    words,
    read,
    layer: replace,
    tighten: (base, proposed) => tighterOf(base, proposed, (word) => words.indexOf(word)),
    schema: () => ({ enum: [...words, ...Object.keys(aliases)] }),
  }
}

/** The words, worded as the end of a sentence. */
export function oneOf(words: readonly string[]): string {
  return `one of ${words.map((word) => `"${word}"`).join(', ')}`
}
