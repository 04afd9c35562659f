/**
 * How one test ended; an error is a test that broke before it could pass or fail, or a file that could not be loaded.
 */
export type TestEnd = 'passed' | 'failed' | 'errors' | 'skipped'

/** How many tests ended each way. */
export interface TestCounts {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
}

/** A test that did not pass, with as much as the runner reports about it. */
export interface TestFailure {
  readonly name: string
  readonly file: string | null
  readonly line: number | null
  readonly message: string
}

/** What a runner reported. */
export interface TestReport {
  readonly counts: TestCounts
  readonly failures: readonly TestFailure[]
  /** How many of the passed entries are not tests but whole files in which no test ran. */
  readonly emptyFiles?: number
}

/** What a runner printed. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** Reads one report format, or returns null if the output has none. It never throws. */
export type ReportReader = (printed: Printed) => TestReport | null

/** One test of a report. */
export interface TestCase {
  readonly end: TestEnd
  readonly failure: TestFailure
}

/** A longer message does not help, and parsing must stay fast whatever a test has printed. */
const MESSAGE_CHARS = 4000
/** A longer line is not part of a stack trace. */
export const LINE_CHARS = 1000

/** Counts cases, and lists those that did not pass. */
export function reportOf(cases: readonly TestCase[]): TestReport {
  const counts: Record<TestEnd, number> = { passed: 0, failed: 0, errors: 0, skipped: 0 }
  for (const { end } of cases) counts[end]++
  return {
    counts: countsOf(counts),
    failures: cases
      .filter(({ end }) => end === 'failed' || end === 'errors')
      .map(({ failure }) => ({ ...failure, message: clip(failure.message) })),
  }
}

/** The counts with their total. */
export function countsOf(counts: Readonly<Partial<Record<TestEnd, number>>>): TestCounts {
  const { passed = 0, failed = 0, errors = 0, skipped = 0 } = counts
  return { total: passed + failed + errors + skipped, passed, failed, errors, skipped }
}

/** The beginning of a message. */
export function clip(message: string): string {
  return message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS)}…` : message
}

/** A location in a file, as stack traces and runners write it: `file:line` or `file:line:column`. */
export interface TracePlace {
  readonly file: string | null
  readonly line: number | null
}

export const NOWHERE: TracePlace = { file: null, line: null }

/** Parses a location such as `/w/a.test.js:4:1` or `file:///w/a.test.js:4:1`. */
export function readPlace(text: string): TracePlace {
  const match = /^(file:\/\/)?(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(text.trim())
  if (match === null) return NOWHERE
  const [, scheme, file = '', line] = match
  return { file: scheme === undefined ? file : decodePath(file), line: Number(line) }
}

/** The path of a URL, in which blanks and non-ASCII letters are percent-encoded. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The first line of a stack trace that is in a given file. */
export function findInStack(stack: string, file: string): TracePlace | null {
  for (const line of stack.slice(0, 10 * MESSAGE_CHARS).split('\n')) {
    if (line.length > LINE_CHARS) continue
    const place = readPlace(/((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? '')
    if (place.file === file) return place
  }
  return null
}

/** The text of a JSON value that should be a string. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
