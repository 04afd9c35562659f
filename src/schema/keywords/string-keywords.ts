import { report } from '../check.ts'
import type { Run } from '../check.ts'
import { pointerTo, readCount, refuseForm, valueOf } from '../keyword.ts'
import type { Keyword } from '../keyword.ts'
import { compilePattern } from '../pattern/pattern.ts'
import { countOf, quote } from '../problem.ts'

const compileMinLength: Keyword = (given, keyword) => {
  const least = readCount(given, keyword)
  if (least === null) return null
  return (value, run) =>
    typeof value !== 'string' ||
    // A character takes one unit or two, so most texts need no counting.
    (value.length >= least && (value.length >= 2 * least || countCharacters(value, run) >= least)) ||
    (run.problems !== null &&
      report(run, keyword, `must have at least ${countOf(least, 'character')}`, { wanted: least }))
}

const compileMaxLength: Keyword = (given, keyword) => {
  const most = readCount(given, keyword)
  if (most === null) return null
  return (value, run) =>
    typeof value !== 'string' ||
    value.length <= most ||
    (value.length <= 2 * most && countCharacters(value, run) <= most) ||
    (run.problems !== null &&
      report(run, keyword, `must have at most ${countOf(most, 'character')}`, { wanted: most }))
}

/** The number of code points; half of a surrogate pair counts as one. */
function countCharacters(text: string, run: Run): number {
  run.steps += text.length >> 4
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1
    count += 1
  }
  return count
}

const compilePatternKeyword: Keyword = (given, keyword) => {
  const source = valueOf(given, keyword)
  if (typeof source !== 'string') return refuseForm(given, keyword, 'a string')
  const pattern = compilePattern(source)
  if (!pattern.ok) return given.build.refuse(pointerTo(given, keyword), pattern.message)
  const { matches } = pattern
  return (value, run) =>
    typeof value !== 'string' ||
    matches(value, run) ||
    (run.problems !== null &&
      report(run, keyword, `must match the pattern ${quote(source)}`, { wanted: source }))
}

/** Keywords about strings. */
export const STRING_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['minLength', compileMinLength],
  ['maxLength', compileMaxLength],
  ['pattern', compilePatternKeyword],
]
