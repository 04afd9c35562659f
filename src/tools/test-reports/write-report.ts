import { byteLength } from '../../core/text/truncate.ts'
import type { TestCounts, TestFailure } from './test-report.ts'

/** The parts of the report for people. */
export interface ReportParts {
  readonly runner: string
  readonly counts: TestCounts
  /** The counts of each project, if there are several. */
  readonly runs: readonly { readonly folder: string; readonly runner: string; readonly counts: TestCounts }[]
  readonly failures: readonly TestFailure[]
  readonly notes: readonly string[]
  /** What the runner printed for people; empty if the rest explains how it went. */
  readonly printed: string
}

/**
 * Describes how the tests went, in text of limited length: counts, each failure once, and the end of the output only
 * if they do not explain it.
 */
export function writeReport(
  { runner, counts, runs, failures, notes, printed }: ReportParts,
  maxBytes: number,
): string {
  const summary = [
    countLine(runner, counts),
    ...runs.map((run) => `${run.folder}: ${countLine(run.runner, run.counts)}`),
    ...notes,
    ...failures.map(describeFailure),
  ].join('\n')
  if (byteLength(summary) > maxBytes) return cutEnd(summary, maxBytes)
  const heading = '\n\nOutput:\n'
  const room = maxBytes - byteLength(summary) - byteLength(heading)
  return printed === '' || room < LEAST_OUTPUT_BYTES
    ? summary
    : `${summary}${heading}${cutStart(printed, room)}`
}

const LEAST_OUTPUT_BYTES = 200
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
