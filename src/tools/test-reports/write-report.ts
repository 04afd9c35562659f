import { byteLength } from '../../core/text/truncate.ts'
import type { Printed, TestCounts, TestFailure } from './test-report.ts'

/** What goes into the report for people. */
export interface ReportParts {
  readonly runner: string
  readonly counts: TestCounts
  readonly failures: readonly TestFailure[]
  readonly notes: readonly string[]
  /** What the runner printed for people. */
  readonly printed: Printed
}

/** Says in a text of limited length how the tests went: counts, failures, and the end of what was printed. */
export function writeReport(
  { runner, counts, failures, notes, printed }: ReportParts,
  maxBytes: number,
): string {
  const summary = [countLine(runner, counts), ...notes, ...failures.map(describeFailure)].join('\n')
  if (byteLength(summary) > maxBytes) return cutEnd(summary, maxBytes)
  const output = [printed.stdout, printed.stderr].map((text) => text.trim()).filter((text) => text !== '')
  const heading = '\n\nOutput:\n'
  const left = maxBytes - byteLength(summary) - byteLength(heading)
  const isAllListed = failures.length >= counts.failed + counts.errors && notes.length === 0
  const room = isAllListed ? Math.min(left, BYTES_BESIDE_LIST) : left
  return output.length === 0 || room < LEAST_OUTPUT_BYTES
    ? summary
    : `${summary}${heading}${cutStart(output.join('\n'), room)}`
}

const LEAST_OUTPUT_BYTES = 200
/** Where every failure is listed, what was printed mostly says the same once more. */
const BYTES_BESIDE_LIST = 1000
const CUT = '… [cut]'

function countLine(runner: string, { total, passed, failed, errors, skipped }: TestCounts): string {
  const parts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(errors === 0 ? [] : [`${errors} with errors`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  return `${total} ${total === 1 ? 'test' : 'tests'} (${runner}): ${parts.join(', ')}`
}

function describeFailure({ name, file, line, message }: TestFailure): string {
  const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
  const body = message.trim() === '' ? '' : `\n${message.trimEnd().replaceAll(/^/gm, '    ')}`
  return `\nFAILED ${name}${place}${body}`
}

function cutEnd(text: string, maxBytes: number): string {
  let shown = text.slice(0, maxBytes)
  while (byteLength(shown) + byteLength(CUT) > maxBytes && shown !== '')
    shown = shown.slice(0, Math.floor(shown.length * 0.9))
  return `${shown}${CUT}`
}

/** The end of a text is where runners sum up. */
function cutStart(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  let shown = text.slice(-maxBytes)
  while (byteLength(shown) + byteLength(CUT) > maxBytes && shown !== '')
    shown = shown.slice(Math.ceil(shown.length * 0.1))
  return `${CUT}${shown}`
}
