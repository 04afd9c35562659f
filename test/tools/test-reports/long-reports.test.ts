import { describe, expect, it } from 'vitest'
import { readReport } from '../../../src/tools/test-reports/read-report.ts'

const CHARS = 1_000_000
const repeat = (piece: string): string => piece.repeat(Math.ceil(CHARS / piece.length))

const JUNIT_END = '></testcase></testsuites>\n'
const UVU_END = '\n\n  Total:     1\n  Passed:    0\n  Skipped:   0\n'

describe('a report is read soon, whatever the tests of a hostile project have printed', () => {
  it.each([
    ['an attribute of JUnit with a long name', `<testsuites><testcase name="a" ${repeat('a')}${JUNIT_END}`],
    ['a long frame of uvu', `   FAIL  a\n    at ${repeat('/')}${UVU_END}`],
    ['many failures of uvu', `${repeat('   FAIL  a\n')}${UVU_END}`],
    ['groups of TAP that never end', `TAP version 13\n${repeat('ok 1 - a {\n')}1..1\n`],
    [
      'groups of TAP with one failure behind them',
      `TAP version 13\n${repeat('ok 1 - a {\n')}not ok 2\n1..1\n`,
    ],
    [
      'a place of TAP that is full of brackets',
      `TAP version 13\nnot ok 1 - a\n  ---\n  at: ${repeat('(')}\n  ...\n1..1\n`,
    ],
    ['a directive of TAP that never comes', `TAP version 13\nok 1 - ${repeat('# ')}\n1..1\n`],
    [
      'many failures of unittest',
      `${repeat(`${'='.repeat(70)}\nFAIL: a\n${'-'.repeat(70)}\n`)}\nRan 1 test in 1s\n\nFAILED\n`,
    ],
    ['counts of unittest without an end', `Ran 1 test in 1s\n\nOK (${repeat('a ')})\n`],
    [
      'many failures of cargo',
      `${repeat('---- a stdout ----\n')}test result: FAILED. 0 passed; 1 failed; 0 ignored;\n`,
    ],
    ['tests of go in tests of go', repeat('--- FAIL: A (0.1s)\n    --- FAIL: B (0.1s)\n')],
    [
      'many failures of ERT',
      `${repeat('   FAILED  1/1  a\n')}Ran 1 tests, 0 results as expected, 1 unexpected\n`,
    ],
  ])('%s', (_what, stdout) => {
    expect(readReport(null, { stdout, stderr: '' })).toHaveProperty('counts')
  })

  it('and titles of vitest that share one long trace', () => {
    const title = ' FAIL  a.test.ts > b\n'
    const trace = ' ❯ a.test.ts:1:1\n'
    const stdout = `⎯⎯ Failed Tests 1 ⎯⎯\n${repeat(title)}${repeat(trace)}⎯⎯[1/1]⎯\n Tests  1 failed (1)\n`
    const report = readReport(null, { stdout, stderr: '' })
    expect(report?.failures[0]).toMatchObject({ file: 'a.test.ts', line: 1 })
  })
})
