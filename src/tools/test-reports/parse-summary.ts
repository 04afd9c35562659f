import { readVitestFailures } from './read-vitest-failures.ts'
import { countsOf } from './test-report.ts'
import type { Printed, TestCounts, TestReport } from './test-report.ts'

/**
 * Reads the closing lines that pytest, vitest, jest, node and mocha print for people: counts, and for vitest also
 * failures.
 */
export function parseSummary({ stdout, stderr }: Printed): TestReport | null {
  for (const text of [stdout, stderr]) {
    const line = findLine(text) ?? findColumn(text)
    if (line !== null) return withFailures(readCounts(line), [stderr, stdout])
  }
  return null
}

/** Vitest counts only tests; a file or a hook that failed is listed among the failures. */
function withFailures(counts: TestCounts, streams: readonly string[]): TestReport {
  const cases = streams.map(readVitestFailures).find(({ length }) => length > 0) ?? []
  const broken = cases.filter(({ end }) => end === 'errors').length
  return {
    counts: countsOf({ ...counts, errors: counts.errors + broken }),
    failures: cases.map(({ failure }) => failure),
  }
}

/** Counts in a column: `ℹ pass 2` and so on, or `2 passing (5ms)` and so on. */
function findColumn(text: string): string | null {
  const end = text.slice(-COLUMN_CHARS)
  const node = [...end.matchAll(/^ℹ (pass|fail|cancelled|skipped|todo) (\d{1,9})$/gm)]
  if (node.length >= 5)
    return node
      .slice(-5)
      .map(([, word = '', digits = '']) => `${digits} ${word}`)
      .join(', ')
  const mocha = [...end.matchAll(/^ {2}(\d{1,9}) (passing|failing|pending)\b/gm)]
  return mocha.length === 0 ? null : mocha.map(([, digits = '', word = '']) => `${digits} ${word}`).join(', ')
}

const COLUMN_CHARS = 65_536

const LINES = [
  /^=+ ((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s(?: \([\d:]+\))? =+$/,
  /^ *Tests: +(?! )(.*\d total)$/,
  /^ *Tests +(\d+ [a-z]+(?: \| \d+ [a-z]+)*) \(\d+\)$/,
  /^ *Tests +(no tests)$/,
  // What smaller programs print: `14 tests, 14 passed, 0 failed`, `Total: 9 tests run in 5ms; all passed`.
  /^(?:Total: |# )?(\d+ tests?(?:,? run)?(?: in [\d.]+ ?m?s)?[,;:] (?:all passed|\d+ [a-z]+(?:, \d+ [a-z]+)*))\.?$/i,
  /^(\d+ (?:passed|passes|succeeded), \d+ (?:failed|failures?)(?:, \d+ [a-z]+)*)\.?$/i,
]

function findLine(text: string): string | null {
  const lines = text.split('\n')
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (line === '' || line.length > 500) continue
    for (const form of LINES) {
      const match = form.exec(line.trimEnd())
      if (match !== null) return match[1] ?? ''
    }
  }
  return null
}

function readCounts(line: string): TestCounts {
  const counts = new Map(
    [...line.matchAll(/(?<!\d)(\d+) ([a-z]+)/g)].map(([, digits, word = '']) => [word, Number(digits)]),
  )
  const of = (...words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)
  if (/all passed$/i.test(line)) return countsOf({ passed: of('test', 'tests') })
  return countsOf({
    passed: of('passed', 'xpassed', 'pass', 'passing', 'passes', 'succeeded'),
    failed: of('failed', 'fail', 'failing', 'cancelled', 'failure', 'failures'),
    errors: of('error', 'errors'),
    skipped: of('skipped', 'xfailed', 'todo', 'pending'),
  })
}
