import { countsOf, clip, NOWHERE, readPlace } from './test-report.ts'
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
  const lines = stdout.split('\n')
  return lines.flatMap((line, at): readonly TestFailure[] => {
    const name = FAILED.exec(line)?.[1]
    if (name === undefined) return []
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((each) => FAILED.test(each) || /^ {2}\S/.test(each) || /^\S/.test(each))
    const body = end === -1 ? rest : rest.slice(0, end)
    const frames = body.map((each) => FRAME.exec(each)?.[1] ?? '')
    const frame = frames.find((place) => place !== '' && !place.includes('/node_modules/'))
    const message = body
      .filter((each) => !FRAME.test(each))
      .map((each) => each.replace(/^ {4}/, ''))
      .join('\n')
      .trim()
    const place = frame === undefined ? NOWHERE : readPlace(frame)
    return [{ name: name.trim().replaceAll(/\s+/g, ' '), ...place, message: clip(message) }]
  })
}
