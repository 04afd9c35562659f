import { checkInside, fitsQuietly, isOver, NOTHING, PASS, report } from '../check.ts'
import { findRepeat } from '../equal.ts'
import { compileInside, isFirstOf, pointerTo, readCount, readList, refuseForm, valueOf } from '../keyword.ts'
import type { Keyword } from '../keyword.ts'
import { countOf } from '../problem.ts'

/** `prefixItems` and `items` divide the items between them. */
const compileItems: Keyword = (given, keyword) => {
  if (!isFirstOf(['prefixItems', 'items'], given, keyword)) return null
  const prefix =
    valueOf(given, 'prefixItems') === undefined
      ? []
      : readList(given, 'prefixItems').map((schema, index) =>
          compileInside(given, schema, 'prefixItems', index),
        )
  const items = valueOf(given, 'items')
  if (Array.isArray(items)) {
    return given.build.refuse(
      pointerTo(given, 'items'),
      'must be one schema; a list of them goes under "prefixItems"',
    )
  }
  const rest = items === undefined ? null : compileInside(given, items, 'items')
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    const { length } = value
    const end = rest === null || rest === PASS || rest === NOTHING ? Math.min(prefix.length, length) : length
    run.steps += end
    let fits = true
    for (let index = 0; index < end; index += 1) {
      if (checkInside(prefix[index] ?? rest ?? PASS, value[index], index, run)) continue
      if (isOver(run)) return false
      fits = false
    }
    if (rest === NOTHING && length > prefix.length) {
      if (run.problems !== null)
        report(run, 'items', `must have at most ${countOf(prefix.length, 'item')}`, { wanted: false })
      return false
    }
    if (seen !== null) seen.items = Math.max(seen.items, rest === null ? end : length)
    return fits
  }
}

/** `contains` with `minContains` and `maxContains`. */
const compileContains: Keyword = (given, keyword) => {
  if (!isFirstOf(['contains', 'minContains', 'maxContains'], given, keyword)) return null
  const least = valueOf(given, 'minContains') === undefined ? 1 : (readCount(given, 'minContains') ?? 1)
  const most =
    valueOf(given, 'maxContains') === undefined ? Infinity : (readCount(given, 'maxContains') ?? Infinity)
  const wanted = valueOf(given, 'contains')
  if (wanted === undefined) return null
  const check = compileInside(given, wanted, 'contains')
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    run.steps += value.length
    let count = 0
    for (let index = 0; index < value.length; index += 1) {
      if (!fitsQuietly(check, value[index], run, null)) continue
      count += 1
      seen?.indexes.add(index)
      if (seen === null && count >= least && most === Infinity) return true
    }
    if (count >= least && count <= most) return true
    if (run.problems === null) return false
    const isTooMany = count > most
    const amount = isTooMany ? `at most ${countOf(most, 'item')}` : `at least ${countOf(least, 'item')}`
    const name = isTooMany ? 'maxContains' : least === 1 ? 'contains' : 'minContains'
    return report(run, name, `must have ${amount} of the kind under "contains", not ${count}`, { wanted })
  }
}

const compileMinItems: Keyword = (given, keyword) => {
  const least = readCount(given, keyword)
  if (least === null) return null
  return (value, run) =>
    !Array.isArray(value) ||
    value.length >= least ||
    (run.problems !== null &&
      report(run, keyword, `must have at least ${countOf(least, 'item')}`, { wanted: least }))
}

const compileMaxItems: Keyword = (given, keyword) => {
  const most = readCount(given, keyword)
  if (most === null) return null
  return (value, run) =>
    !Array.isArray(value) ||
    value.length <= most ||
    (run.problems !== null &&
      report(run, keyword, `must have at most ${countOf(most, 'item')}`, { wanted: most }))
}

const compileUniqueItems: Keyword = (given, keyword) => {
  const wanted = valueOf(given, keyword)
  if (typeof wanted !== 'boolean') return refuseForm(given, keyword, 'a boolean')
  if (!wanted) return null
  return (value, run) => {
    if (!Array.isArray(value) || value.length < 2) return true
    const { pair, steps } = findRepeat(value)
    run.steps += steps >> 2
    if (pair === null) return true
    if (run.problems === null) return false
    return report(run, keyword, `must not repeat an item, but [${pair[0]}] and [${pair[1]}] are the same`, {
      wanted,
    })
  }
}

/** Keywords about arrays. */
export const ARRAY_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['prefixItems', compileItems],
  ['items', compileItems],
  ['contains', compileContains],
  ['minContains', compileContains],
  ['maxContains', compileContains],
  ['minItems', compileMinItems],
  ['maxItems', compileMaxItems],
  ['uniqueItems', compileUniqueItems],
]
