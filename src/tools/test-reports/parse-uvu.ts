import { shortLines } from '../../core/text/short-lines.ts'
import { countsOf, clip, LINE_CHARS, NOWHERE, readPlace } from './test-report.ts'
import type { Printed, TestFailure, TestReport } from './test-report.ts'

const TOTALS = /^ {2}Total: +(\d{1,9})\n {2}Passed: +(\d{1,9})\n {2}Skipped: +(\d{1,9})$/gm
const FAILED = /^ {3}FAIL {2}(.*)$/
const FRAME = /^ {4}at .*?\(?((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/

/** Reads what uvu prints for people; it has no other report. */
export function parseUvu({ stdout, stderr }: Printed): TestReport | null {
  const [, total = '', passed = '', skipped = ''] = [...stdout.matchAll(TOTALS)].at(-1) ?? []
  if (total === '') return null
  const failures = readFailures(stdout)
  const failed = Math.max(0, Number(total) - Number(passed) - Number(skipped))
  const counts = countsOf({ passed: Number(passed), failed, skipped: Number(skipped) })
  // A file that cannot be loaded ends the run, before any counts.
  return counts.total === 0 && failures.length === 0 && stderr.includes('Error') ? null : { counts, failures }
}

function readFailures(stdout: string): readonly TestFailure[] {
  const lines = shortLines(stdout)
  return lines.flatMap((line, at): readonly TestFailure[] => {
    const name = FAILED.exec(line)?.[1]
    if (name === undefined) return []
    let end = at + 1
    while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1
    const body = lines.slice(at + 1, end).map((text) => ({ text, frame: frameIn(text) }))
    const { frame } = body.find((each) => each.frame !== null && !each.frame.includes('/node_modules/')) ?? {}
    const message = body
      .flatMap((each) => (each.frame === null ? [each.text] : []))
      .map((each) => each.replace(/^ {4}/, ''))
      .join('\n')
      .trim()
    const place = frame === undefined || frame === null ? NOWHERE : readPlace(frame)
    return [{ name: name.trim().replaceAll(/\s+/g, ' '), ...place, message: clip(message) }]
  })
}

function isEnd(line: string): boolean {
  return FAILED.test(line) || /^ {0,2}\S/.test(line)
}

function frameIn(line: string): string | null {
  return line.length > LINE_CHARS ? null : (FRAME.exec(line)?.[1] ?? null)
}
