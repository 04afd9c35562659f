import { parseCargo } from '../test-runners/cargo.ts'
import { parseErt } from '../test-runners/ert.ts'
import { parseGo } from '../test-runners/go.ts'
import { parseJestJson } from './parse-jest-json.ts'
import { parseJunit } from './parse-junit.ts'
import { parseMochaJson } from './parse-mocha-json.ts'
import { parseSummary } from './parse-summary.ts'
import { parseTap } from './parse-tap.ts'
import { parseUnittest } from './parse-unittest.ts'
import { parseUvu } from './parse-uvu.ts'
import type { Printed, ReportReader, TestReport } from './test-report.ts'

/** From the most detailed format to the least. */
const READERS = [
  parseJestJson,
  parseMochaJson,
  parseJunit,
  parseGo,
  parseErt,
  parseCargo,
  parseTap,
  parseUnittest,
  parseUvu,
  parseSummary,
]

/**
 * Reads the report from what a runner printed, trying the requested format first; null if there is none. Another
 * format may have been printed by accident, such as in the title of a test, so a report without tests is used last.
 */
export function readReport(wanted: ReportReader | null, printed: Printed): TestReport | null {
  const own = wanted?.(printed) ?? null
  if (own !== null) return own
  let empty: TestReport | null = null
  for (const read of READERS) {
    const report = read(printed)
    if (report !== null && report.counts.total > 0) return report
    empty ??= report
  }
  return empty
}
