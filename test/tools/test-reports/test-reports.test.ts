import { describe, expect, it } from 'vitest'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { parseCargo } from '../../../src/tools/test-runners/cargo.ts'
import { parseErt } from '../../../src/tools/test-runners/ert.ts'
import { parseGo } from '../../../src/tools/test-runners/go.ts'
import { parseJestJson } from '../../../src/tools/test-reports/parse-jest-json.ts'
import { parseJunit } from '../../../src/tools/test-reports/parse-junit.ts'
import { parseSummary } from '../../../src/tools/test-reports/parse-summary.ts'
import { parseTap } from '../../../src/tools/test-reports/parse-tap.ts'
import { readReport } from '../../../src/tools/test-reports/read-report.ts'
import * as recorded from './recorded.ts'

const out = (stdout: string) => ({ stdout, stderr: '' })
const err = (stderr: string) => ({ stdout: '', stderr })

describe('reports of runners, as they were recorded', () => {
  it('F-TOOL-run_tests: go test -json, with a build that failed and a subtest', () => {
    expect(parseGo(out(recorded.GO_JSON))).toEqual({
      counts: { total: 5, passed: 2, failed: 1, errors: 1, skipped: 1 },
      failures: [
        {
          name: 'example.com/m/sum.TestTable/wrong',
          file: 'sum_test.go',
          line: 14,
          message: 'sum_test.go:14: got 2, want 3',
        },
        {
          name: 'example.com/m/broken',
          file: 'broken/broken.go',
          line: 3,
          message:
            '# example.com/m/broken\nbroken/broken.go:3:9: undefined: nope\nFAIL\texample.com/m/broken [build failed]',
        },
      ],
    })
  })

  it('a package that an older Go could not build is an error, with what the compiler said', () => {
    const passed = '{"Action":"pass","Package":"m/a","Test":"TestA"}'
    const stderr = '# m/b\nb/b_test.go:3:9: undefined: nope\n'
    expect(parseGo({ stdout: `${passed}\nFAIL\tm/b [build failed]\n`, stderr })).toMatchObject({
      counts: { total: 2, passed: 1, errors: 1 },
      failures: [{ name: 'm/b', file: 'b/b_test.go', line: 3 }],
    })
  })

  it('F-TOOL-run_tests: go test -v', () => {
    expect(parseGo(out(recorded.GO_VERBOSE))).toMatchObject({
      counts: { total: 3, passed: 1, failed: 1, skipped: 1 },
      failures: [{ name: 'TestWrong', file: 'sum_test.go', line: 9 }],
    })
  })

  it('F-TOOL-run_tests: cargo test, over several programs and doc tests', () => {
    expect(parseCargo(out(recorded.CARGO))).toMatchObject({
      counts: { total: 7, passed: 4, failed: 2, errors: 0, skipped: 1 },
      failures: [
        { name: 'tests::breaks', file: 'src/lib.rs', line: 11 },
        { name: 'outer_bad', file: null, line: null, message: 'Error: "no"' },
      ],
    })
    const older = "---- old stdout ----\nthread 'old' panicked at 'boom', src/a.rs:7:5\n\nfailures:\n"
    const report = parseCargo(out(`${older}test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured;`))
    expect(report?.failures).toMatchObject([{ name: 'old', file: 'src/a.rs', line: 7 }])
  })

  it('F-TOOL-run_tests: pytest’s JUnit file, with a collection error and an expected failure', () => {
    expect(parseJunit(err(recorded.PYTEST_JUNIT))).toMatchObject({
      counts: { total: 6, passed: 1, failed: 1, errors: 2, skipped: 2 },
      failures: [
        { name: 'tests.test_b', file: 'tests/test_b.py', line: 1 },
        { name: 'tests.test_a.test_bad', file: 'tests/test_a.py', line: 5 },
        { name: 'tests.test_a.test_err', file: 'tests/test_a.py', line: 9 },
      ],
    })
  })

  it('F-TOOL-run_tests: jest’s JSON behind what a test printed, with a file that could not be loaded', () => {
    expect(parseJestJson(out(`noise {"num": 1\n${recorded.JEST_JSON}\n`))).toEqual({
      counts: { total: 5, passed: 1, failed: 1, errors: 1, skipped: 2 },
      failures: [
        {
          name: 'group breaks',
          file: '/w/a.test.js',
          line: 4,
          message: 'Error: expect(received).toBe(expected)\n    at Object.<anonymous> (/w/a.test.js:4:58)',
        },
        { name: '/w/b.test.js', file: '/w/b.test.js', line: null, message: 'Cannot find module ./nope' },
      ],
    })
  })

  it('F-TOOL-run_tests: ERT’s own words, where a command of one’s own starts it', () => {
    expect(parseErt(err(recorded.ERT_TEXT))).toEqual({
      counts: { total: 5, passed: 2, failed: 1, errors: 1, skipped: 1 },
      failures: [
        { name: 'foo-breaks', file: null, line: null, message: expect.stringContaining('(ert-test-failed') },
        { name: 'foo-errs', file: 'test/foo-test.el', line: 6, message: '(error "Boom 1")' },
      ],
    })
  })

  it('F-TOOL-run_tests: vitest’s own words, with a file and a hook that broke, and tests that failed alike', () => {
    const broken = {
      name: 'test/broken.test.ts',
      file: 'test/broken.test.ts',
      line: 1,
      message:
        "Error: Cannot find module './nowhere.ts' imported from /w/test/broken.test.ts\n ❯ test/broken.test.ts:1:1",
    }
    const alike = {
      file: 'test/alike.test.ts',
      line: 4,
      message:
        'AssertionError: expected 1 to be 2 // Object.is equality\n\n- Expected\n+ Received\n\n- 2\n+ 1\n\n ❯ test/alike.test.ts:4:13',
    }
    const report = {
      counts: { total: 11, passed: 2, failed: 5, errors: 2, skipped: 2 },
      failures: [
        broken,
        {
          name: 'with a hook',
          file: 'test/hook.test.ts',
          line: 4,
          message: 'Error: no ground\n ❯ test/hook.test.ts:4:11',
        },
        {
          name: 'sums > takes a > b apart',
          file: 'test/sample.test.ts',
          line: 10,
          message: expect.stringMatching(
            /^AssertionError: expected .*\n\n- Expected[^]*\n- {5}3,\n\+ {5}2,\n/,
          ),
        },
        {
          name: 'throws elsewhere',
          file: 'test/sample.test.ts',
          line: 21,
          message: 'TypeError: no luck here\n ❯ refuse test/helper.ts:2:9\n ❯ test/sample.test.ts:21:3',
        },
        {
          name: 'has a cause',
          file: 'test/sample.test.ts',
          line: 25,
          message:
            'Error: outer\n ❯ test/sample.test.ts:25:9\n\nCaused by: Error: inner\n ❯ test/sample.test.ts:25:37',
        },
        { name: 'fails alike 1', ...alike },
        { name: 'fails alike 2', ...alike },
      ],
    }
    const { stdout, stderr } = recorded.VITEST_TEXT
    expect(parseSummary({ stdout, stderr })).toEqual(report)
    expect(parseSummary(out(stderr + stdout))).toEqual(report)
    expect(parseSummary(recorded.VITEST_BROKEN_FILE)).toEqual({
      counts: { total: 1, passed: 0, failed: 0, errors: 1, skipped: 0 },
      failures: [broken],
    })
  })

  it('vitest: of several lists of failures only the last one is the runner’s own', () => {
    const listed = (name: string) =>
      `⎯ Failed Tests 1 ⎯\n\n FAIL  a.test.ts > ${name}\nError: no\n\n⎯[1/1]⎯\n`
    const printed = { stdout: '      Tests  1 failed (1)', stderr: listed('printed') + listed('own') }
    expect(parseSummary(printed)?.failures).toEqual([
      { name: 'own', file: 'a.test.ts', line: null, message: 'Error: no' },
    ])
  })

  it('vitest: the project that a test belongs to is no part of its file', () => {
    const stderr =
      '⎯ Failed Tests 1 ⎯\n\n FAIL  |unit| a.test.ts > adds\nError: no\n ❯ a.test.ts:3:1\n\n⎯[1/1]⎯\n'
    expect(parseSummary({ stdout: ' Tests  1 failed (1)', stderr })?.failures).toMatchObject([
      { name: 'adds', file: 'a.test.ts', line: 3 },
    ])
  })

  it('F-TEST-tests-selector: tests that were not chosen are no skipped tests, also where an old Node says so', () => {
    const stdout = [
      'TAP version 13',
      '# Subtest: one',
      'ok 1 - one',
      '# Subtest: two',
      'ok 2 - two # SKIP test name does not match pattern',
      '# Subtest: three',
      'ok 3 - three # SKIP not today',
      '1..3',
      '# tests 3',
      '# pass 1',
      '# fail 0',
      '# cancelled 0',
      '# skipped 2',
      '# todo 0',
    ].join('\n')
    expect(parseTap({ stdout, stderr: '' })?.counts).toMatchObject({ total: 2, passed: 1, skipped: 1 })
  })

  it('TAP: what a test prints is not taken for the runner’s own counts', () => {
    const text =
      'TAP version 13\n# tests 100\n# pass 100\nok 1 - a \\# b\nnot ok 2 - c # TODO later\n1..2\n# tests 2\n# pass 1\n# fail 0\n# todo 1\n'
    expect(parseTap(out(text))?.counts).toEqual({ total: 2, passed: 1, failed: 0, errors: 0, skipped: 1 })
  })

  it.each([
    ['=== 2 failed, 3 passed, 1 skipped, 1 xfailed, 2 errors in 1.36s ===', [9, 3, 2, 2, 2]],
    ['Tests:       1 failed, 1 skipped, 3 passed, 5 total', [5, 3, 1, 0, 1]],
    ['      Tests  1 failed | 2 passed | 1 todo (4)', [4, 2, 1, 0, 1]],
    [
      'ℹ tests 6\nℹ suites 1\nℹ pass 2\nℹ fail 2\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 1',
      [6, 2, 2, 0, 2],
    ],
    ['\n  2 passing (5ms)\n  1 pending\n  3 failing\n', [6, 2, 3, 0, 1]],
  ])(
    'the closing words of a runner that was not asked for more: %j',
    (text, [total, passed, failed, errors, skipped]) => {
      expect(parseSummary(out(text))?.counts).toEqual({ total, passed, failed, errors, skipped })
    },
  )
})

describe('a reader of reports', () => {
  const pieces = [
    'TAP version 13\n',
    'ok 1 - x\n',
    'not ok 2',
    '  ---\n',
    '  ...\n',
    '1..2\n',
    '# tests 2\n',
    '{"num',
    '<testsuites>',
    '<testcase ',
    '</testsuites>',
    '{"Action":"fail"}\n',
    'test result: ok. 1 passed; 0 failed; 0 ignored;',
    '---- a stdout ----\n',
    'Ran 2 tests, 1 results as expected',
    'tongs-ert {',
    "panicked at '",
    ' Tests  1 failed (1)\n',
    '⎯ Failed Tests 1 ⎯\n',
    ' FAIL  a.test.ts > b\n',
    ' FAIL  a [ ',
    ' ❯ a:1:1\n',
    '⎯[1/1]⎯\n',
    '⎯',
    '\n',
    ' ',
    '"',
    '/',
    ':1:1',
  ]

  it.each(['/w/a b/größe/x.test.js', '/w/100%/x.test.js'])(
    'names the place in the stack also where it is written as a URL: %s',
    (file) => {
      const url = file.includes('%') ? `file://${file}` : pathToFileURL(file).href
      const block = `  ---\n  location: '${file}:4:1'\n  stack: |-\n    TestContext.<anonymous> (${url}:5:10)\n  ...\n`
      const report = readReport(null, out(`TAP version 13\nnot ok 1 - adds\n${block}1..1\n`))
      expect(report?.failures).toMatchObject([{ file, line: 5 }])
    },
  )

  it('an empty report does not win over one that counts tests, and is better than none', () => {
    const title = ' ✓ reads "<testsuites></testsuites>" 3ms'
    const counted = readReport(null, out(`${title}\n\n      Tests  1 failed | 43 passed (44)\n`))
    expect(counted?.counts).toMatchObject({ total: 44, passed: 43, failed: 1 })
    expect(readReport(null, out('<testsuites></testsuites>'))?.counts.total).toBe(0)
  })

  it('the form that was asked for is believed, also where it is empty', () => {
    const printed = { stdout: '      Tests  1 passed (1)\n', stderr: '<testsuites></testsuites>' }
    expect(readReport(parseJunit, printed)?.counts.total).toBe(0)
  })

  it('never throws, and counts add up, whatever is printed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())),
        fc.boolean(),
        (parts, onErr) => {
          const report = readReport(null, onErr ? err(parts.join('')) : out(parts.join('')))
          if (report === null) return
          const { total, passed, failed, errors, skipped } = report.counts
          expect(total).toBe(passed + failed + errors + skipped)
        },
      ),
    )
  })

  it.each(pieces)('does not take long over a megabyte of %j', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
    const started = process.cpuUsage()
    readReport(null, { stdout: `TAP version 13\n${text}`, stderr: `<testsuites>${text}</testsuites>` })
    parseSummary({ stdout: ' Tests  1 failed (1)', stderr: `⎯ Failed Tests 1 ⎯\n FAIL  a\n${text}\n⎯[1/1]⎯` })
    // Processor time: on a busy machine the clock goes on without us.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000)
  })
})
