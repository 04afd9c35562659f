import { byteLength } from '../../core/text/truncate.ts'
import type { Printed, TestCounts, TestFailure } from './test-report.ts'

/** The parts of the report for people. */
export interface ReportParts {
  readonly runner: string
  readonly counts: TestCounts
  readonly failures: readonly TestFailure[]
  readonly notes: readonly string[]
  /** What the runner printed for people. */
  readonly printed: Printed
}

/** Describes how the tests went, in text of limited length: counts, failures, and the end of the output. */
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
/** If every failure is listed, the output mostly repeats the list. */
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

/** Runners summarize at the end, so the start is cut. */
function cutStart(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  let shown = text.slice(-maxBytes)
  while (byteLength(shown) + byteLength(CUT) > maxBytes && shown !== '')
    shown = shown.slice(Math.ceil(shown.length * 0.1))
  return `${CUT}${shown}`
}
