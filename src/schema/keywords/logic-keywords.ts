import { addSeen, all, beginSeen, fitsQuietly, collectProblems, PASS, report } from '../check.ts'
import type { Check, Run, Seen } from '../check.ts'
import { compileHere, isFirstOf, readList, valueOf } from '../keyword.ts'
import type { Given, Keyword } from '../keyword.ts'
import { nameType } from '../problem.ts'
import type { SchemaProblem } from '../problem.ts'

function compileForms(given: Given, keyword: string): readonly Check[] {
  return readList(given, keyword).map((schema, index) => compileHere(given, schema, keyword, index))
}

/** Whether a form fits; only then does what it evaluated count. */
function tryForm(check: Check, value: unknown, run: Run, seen: Seen | null): boolean {
  if (seen === null) return fitsQuietly(check, value, run, null)
  const own = beginSeen()
  if (!fitsQuietly(check, value, run, own)) return false
  addSeen(seen, own)
  return true
}

const compileAllOf: Keyword = (given, keyword) => all(compileForms(given, keyword))

const compileAnyOf: Keyword = (given, keyword) => {
  const forms = compileForms(given, keyword)
  return (value, run, seen) => {
    let fits = false
    for (const form of forms) {
      if (!tryForm(form, value, run, seen)) continue
      fits = true
      // The remaining forms matter only if evaluated members are tracked.
      if (seen === null) break
    }
    return fits || (run.problems !== null && reportNoForm(keyword, forms, value, run))
  }
}

const compileOneOf: Keyword = (given, keyword) => {
  const forms = compileForms(given, keyword)
  return (value, run, seen) => {
    let count = 0
    for (const form of forms) {
      if (!tryForm(form, value, run, seen)) continue
      count += 1
      if (count > 1 && run.problems === null) return false
    }
    if (count === 1) return true
    if (run.problems === null) return false
    if (count === 0) return reportNoForm(keyword, forms, value, run)
    return report(run, keyword, `fits ${count} of ${forms.length} forms, where it must fit exactly one`)
  }
}

/** Reports that no form fits and what the closest one expects, or just which types would fit. */
function reportNoForm(keyword: string, forms: readonly Check[], value: unknown, run: Run): false {
  const here = run.path.length
  const objections = forms
    .map((form) => collectProblems(form, value, run))
    .filter((problems) => problems.length > 0)
  const isOfType = (problem: SchemaProblem): boolean =>
    problem.keyword === 'type' && problem.pointer.length === here
  if (objections.length > 0 && objections.every((problems) => problems.every(isOfType))) {
    const words = new Set(objections.flat().flatMap(({ data }) => data.wanted ?? []))
    return report(run, 'type', `must be ${[...words].join(' or ')}, not ${nameType(value)}`, {
      wanted: [...words],
    })
  }
  const distance = (problems: readonly SchemaProblem[]): number =>
    problems.length + (problems.some(isOfType) ? 100 : 0)
  const [closest] = objections.toSorted((one, other) => distance(one) - distance(other))
  const nearest = closest?.[0]
  const message = forms.length === 1 ? 'does not fit its one form' : `fits none of its ${forms.length} forms`
  return report(run, keyword, message, nearest === undefined ? {} : { nearest })
}

const compileNot: Keyword = (given, keyword) => {
  const check = compileHere(given, valueOf(given, keyword) ?? null, keyword)
  return (value, run) =>
    !fitsQuietly(check, value, run, null) ||
    (run.problems !== null && report(run, keyword, 'has the form that "not" excludes'))
}

/** `if`, `then` and `else`. */
const compileCondition: Keyword = (given, keyword) => {
  if (!isFirstOf(['if', 'then', 'else'], given, keyword)) return null
  const [condition, consequence, alternative] = ['if', 'then', 'else'].map((part) => {
    const schema = valueOf(given, part)
    return schema === undefined ? null : compileHere(given, schema, part)
  })
  if (condition === null || condition === undefined) return null
  return (value, run, seen) => {
    const next = tryForm(condition, value, run, seen) ? consequence : alternative
    return (next ?? PASS)(value, run, seen)
  }
}

/** Keywords that combine schemas. */
export const LOGIC_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['allOf', compileAllOf],
  ['anyOf', compileAnyOf],
  ['oneOf', compileOneOf],
  ['not', compileNot],
  ['if', compileCondition],
  ['then', compileCondition],
  ['else', compileCondition],
]
