import { isJsonObject } from '../../core/json/value.ts'
import { findInStack, reportOf, textIn } from './test-report.ts'
import type { Printed, TestCase, TestEnd, TestReport } from './test-report.ts'

const ENDS: Readonly<Record<string, TestEnd>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
  focused: 'passed',
}

/** What looks like the report may have been printed by a test; each attempt parses to the end. */
const MOST_TRIES = 20

/** Reads the JSON that jest and vitest write, on either stream. */
export function parseJestJson({ stdout, stderr }: Printed): TestReport | null {
  for (const text of [stderr, stdout]) {
    const found = findReport(text)
    if (found !== null) return reportOf(found.flatMap(casesOf))
  }
  return null
}

/** The report is the last thing on its line, and tests may have printed before it. */
function findReport(text: string): readonly unknown[] | null {
  let at = text.length
  for (let tries = 0; tries < MOST_TRIES && at > 0; tries++) {
    at = text.lastIndexOf('{"num', at - 1)
    if (at === -1) return null
    const end = text.indexOf('\n', at)
    const results = readReport(text.slice(at, end === -1 ? undefined : end))
    if (results !== null) return results
  }
  return null
}

function readReport(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isJsonObject(parsed)) return null
    const { numTotalTests, testResults } = parsed
    return typeof numTotalTests === 'number' && Array.isArray(testResults) ? testResults : null
  } catch {
    return null
  }
}

function casesOf(file: unknown): readonly TestCase[] {
  if (!isJsonObject(file)) return []
  const { assertionResults, status } = file
  const path = textIn(file['name'])
  const tests = Array.isArray(assertionResults) ? assertionResults.filter(isJsonObject) : []
  const cases = tests.map((test): TestCase => {
    const { failureMessages } = test
    const message = Array.isArray(failureMessages) ? failureMessages.map(textIn).join('\n') : ''
    const place = findInStack(message, path) ?? {
      file: path === '' ? null : path,
      line: lineOf(test['location']),
    }
    const end = ENDS[textIn(test['status'])] ?? 'errors'
    return { end, failure: { name: textIn(test['fullName']), ...place, message: ownFrames(message) } }
  })
  if (status !== 'failed' || cases.some(({ end }) => end === 'failed')) return cases
  // The file itself failed, before or between its tests.
  const failure = { name: path, file: path, line: null, message: textIn(file['message']) }
  return [...cases, { end: 'errors', failure }]
}

/** Stack frames in packages show how the runner works, not what went wrong. */
function ownFrames(message: string): string {
  const lines = message.split('\n')
  return lines.filter((line) => !/^\s+at .*(?:\/node_modules\/|node:internal\/)/.test(line)).join('\n')
}

function lineOf(location: unknown): number | null {
  const line = isJsonObject(location) ? location['line'] : null
  return typeof line === 'number' ? line : null
}
