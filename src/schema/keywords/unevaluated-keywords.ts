import { isJsonObject } from '../../core/json/value.ts'
import { addSeen, beginSeen, checkInside, isOver, NOTHING, report } from '../check.ts'
import type { Check, Run, Seen } from '../check.ts'
import { compileInside, readEntries, valueOf } from '../keyword.ts'
import type { Given } from '../keyword.ts'
import { countOf } from '../problem.ts'
import { reportUnknown } from './properties-keyword.ts'

type Leftover = (value: unknown, run: Run, own: Seen) => boolean

/** Runs `unevaluatedProperties` and `unevaluatedItems` after the other checks of their schema. */
export function compileUnevaluated(given: Given, check: Check): Check {
  const leftovers = [compileLeftProperties(given), compileLeftItems(given)].filter((one) => one !== null)
  return (value, run, seen) => {
    const own = beginSeen()
    // What a failed schema evaluated is not known, so everything would look unevaluated.
    if (!check(value, run, own)) return false
    for (const leftover of leftovers) if (!leftover(value, run, own)) return false
    if (seen !== null) addSeen(seen, own)
    return true
  }
}

function compileLeftProperties(given: Given): Leftover | null {
  const keyword = 'unevaluatedProperties'
  const schema = valueOf(given, keyword)
  if (schema === undefined) return null
  const check = compileInside(given, schema, keyword)
  const known = readEntries(given, 'properties').map(([name]) => name)
  return (value, run, own) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const name of Object.keys(value)) {
      const inner = value[name]
      if (inner === undefined || own.names.has(name)) continue
      run.steps += 1
      const isFitting =
        check === NOTHING
          ? run.problems !== null && reportUnknown(keyword, name, known, run)
          : checkInside(check, inner, name, run)
      if (isFitting) {
        own.names.add(name)
        continue
      }
      if (isOver(run)) return false
      fits = false
    }
    return fits
  }
}

function compileLeftItems(given: Given): Leftover | null {
  const keyword = 'unevaluatedItems'
  const schema = valueOf(given, keyword)
  if (schema === undefined) return null
  const check = compileInside(given, schema, keyword)
  return (value, run, own) => {
    if (!Array.isArray(value)) return true
    let fits = true
    for (let index = own.items; index < value.length; index += 1) {
      if (own.indexes.has(index)) continue
      run.steps += 1
      if (check === NOTHING) {
        const message = `must not have an item at [${index}]; it has ${countOf(value.length, 'item')}`
        return run.problems !== null && report(run, keyword, message, { wanted: false })
      }
      if (checkInside(check, value[index], index, run)) continue
      if (isOver(run)) return false
      fits = false
    }
    own.items = value.length
    return fits
  }
}
