import { isJsonObject } from '../../core/json/value.ts'
import { clip, countsOf, NOWHERE, readPlace, reportOf, textIn } from './test-report.ts'
import type { Printed, TestCase, TestEnd, TestFailure, TestReport } from './test-report.ts'

/** What our own reporter puts before each of its lines. */
export const ERT_MARK = 'tongs-ert '

const ENDS: Readonly<Record<string, TestEnd>> = {
  passed: 'passed',
  failed: 'failed',
  error: 'errors',
  skipped: 'skipped',
}

/** Reads what our reporter says of ERT tests, or else what ERT says itself in batch mode. */
export function parseErt(printed: Printed): TestReport | null {
  const lines = printed.stdout.split('\n').filter((line) => line.startsWith(ERT_MARK))
  return lines.length > 0 ? reportOf(lines.flatMap(readLine)) : parseErtText(printed)
}

function readLine(line: string): readonly TestCase[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.slice(ERT_MARK.length))
  } catch {
    return []
  }
  if (!isJsonObject(parsed)) return []
  const end = ENDS[textIn(parsed['kind'])]
  // The first line only says that a report follows; there may be no test.
  if (end === undefined) return []
  const { file, line: number } = parsed
  const failure = {
    name: textIn(parsed['name']),
    file: typeof file === 'string' ? file : null,
    line: typeof number === 'number' ? number : null,
    message: textIn(parsed['message']),
  }
  return [{ end, failure }]
}

const SUMMARY = /^Ran (\d+) tests?, (\d+) results? as expected(?:, (\d+) unexpected)?(?:, (\d+) skipped)?/m

/** Each failure looks for its condition in the text, so the text has its bound. */
const MOST_TEXT_CHARS = 262_144

/** ERT speaks on stderr. */
function parseErtText({ stdout, stderr }: Printed): TestReport | null {
  const text = SUMMARY.test(stderr) ? stderr : stdout
  const match = SUMMARY.exec(text)
  if (match === null) return null
  const [passed, unexpected, skipped] = [match[2], match[3], match[4]].map((digits) => Number(digits ?? 0))
  const failures = [
    ...text
      .slice(0, MOST_TEXT_CHARS)
      .matchAll(/^ +FAILED +\d+\/\d+ +(\S+)(?: \([\d.]+ sec\))?(?: at (\S+))?/gm),
  ].map(([, name = '', place]): TestFailure => ({
    name,
    ...(place === undefined ? NOWHERE : readPlace(place)),
    message: clip(conditionOf(text.slice(0, MOST_TEXT_CHARS), name)),
  }))
  const errors = failures.filter(({ message }) => message !== '' && !message.startsWith('(ert-test-failed'))
  const failed = Math.max(0, (unexpected ?? 0) - errors.length)
  return {
    counts: countsOf({ passed: passed ?? 0, failed, errors: errors.length, skipped: skipped ?? 0 }),
    failures,
  }
}

function conditionOf(text: string, name: string): string {
  const start = text.indexOf(`Test ${name} condition:\n`)
  if (start === -1) return ''
  const rest = text.slice(text.indexOf('\n', start) + 1)
  const end = rest.search(/^ +(?:FAILED|QUIT) /m)
  return rest
    .slice(0, end === -1 ? 2000 : end)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
