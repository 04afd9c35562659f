import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { findInStack, reportOf, textIn } from './test-report.ts'
import type { Printed, TestCase, TestReport } from './test-report.ts'

const START = '{\n  "stats": {'
/** What looks like the report may have been printed by a test. */
const MOST_TRIES = 20

/** Reads the JSON that mocha writes, on either stream. */
export function parseMochaJson({ stdout, stderr }: Printed): TestReport | null {
  for (const text of [stderr, stdout]) {
    const found = findReport(text)
    if (found === null) continue
    const cases = (name: string, end: TestCase['end']): readonly TestCase[] => {
      const listed = found[name]
      return Array.isArray(listed) ? listed.filter(isJsonObject).map((test) => readCase(test, end)) : []
    }
    return reportOf([
      ...cases('passes', 'passed'),
      ...cases('failures', 'failed'),
      ...cases('pending', 'skipped'),
    ])
  }
  return null
}

function findReport(text: string): JsonObject | null {
  let at = text.length
  for (let tries = 0; tries < MOST_TRIES && at > 0; tries++) {
    at = text.lastIndexOf(START, at - 1)
    if (at === -1) return null
    const end = text.indexOf('\n}', at)
    if (end === -1) continue
    try {
      const parsed: unknown = JSON.parse(text.slice(at, end + 2))
      if (isJsonObject(parsed) && Array.isArray(parsed['passes'])) return parsed
    } catch {
      // An earlier one may be whole.
    }
  }
  return null
}

function readCase(test: JsonObject, end: TestCase['end']): TestCase {
  const error = isJsonObject(test['err']) ? test['err'] : {}
  const file = textIn(test['file'])
  const place = findInStack(textIn(error['stack']), file) ?? { file: file === '' ? null : file, line: null }
  return {
    end,
    failure: { name: textIn(test['fullTitle']).trim(), ...place, message: textIn(error['message']) },
  }
}
