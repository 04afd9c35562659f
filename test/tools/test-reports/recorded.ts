/** What runners printed, shortened; go by its documentation, the others as they ran. */

const goEvent = (event: object): string => JSON.stringify({ Time: '2026-01-01T00:00:00Z', ...event })
const sum = { Package: 'example.com/m/sum' }
const broken = 'example.com/m/broken'

export const GO_JSON = [
  { ImportPath: broken, Action: 'build-output', Output: `# ${broken}\n` },
  { ImportPath: broken, Action: 'build-output', Output: 'broken/broken.go:3:9: undefined: nope\n' },
  { ImportPath: broken, Action: 'build-fail' },
  { Action: 'start', ...sum },
  { Action: 'run', ...sum, Test: 'TestAdd' },
  { Action: 'output', ...sum, Test: 'TestAdd', Output: '=== RUN   TestAdd\n' },
  { Action: 'pass', ...sum, Test: 'TestAdd', Elapsed: 0 },
  { Action: 'run', ...sum, Test: 'TestTable' },
  { Action: 'run', ...sum, Test: 'TestTable/right' },
  { Action: 'run', ...sum, Test: 'TestTable/wrong' },
  { Action: 'output', ...sum, Test: 'TestTable/wrong', Output: '    sum_test.go:14: got 2, want 3\n' },
  { Action: 'output', ...sum, Test: 'TestTable/wrong', Output: '    --- FAIL: TestTable/wrong (0.00s)\n' },
  { Action: 'pass', ...sum, Test: 'TestTable/right', Elapsed: 0 },
  { Action: 'fail', ...sum, Test: 'TestTable/wrong', Elapsed: 0 },
  { Action: 'fail', ...sum, Test: 'TestTable', Elapsed: 0 },
  { Action: 'skip', ...sum, Test: 'TestLater', Elapsed: 0 },
  { Action: 'output', ...sum, Output: 'FAIL\n' },
  { Action: 'fail', ...sum, Elapsed: 0.01 },
  { Action: 'start', Package: broken },
  { Action: 'output', Package: broken, Output: `FAIL\t${broken} [build failed]\n` },
  { Action: 'fail', Package: broken, Elapsed: 0, FailedBuild: broken },
]
  .map(goEvent)
  .join('\n')

export const GO_VERBOSE = `=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestWrong
    sum_test.go:9: got 2, want 3
--- FAIL: TestWrong (0.00s)
    sum_test.go:9: got 2, want 3
--- SKIP: TestLater (0.00s)
FAIL
`

export const CARGO = `
running 4 tests
test tests::adds ... ok
test tests::later ... ignored
test tests::breaks ... FAILED
test tests::panics - should panic ... ok

failures:

---- tests::breaks stdout ----
said

thread 'tests::breaks' (94) panicked at src/lib.rs:11:37:
assertion \`left == right\` failed: one and one
  left: 2
 right: 3
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace


failures:
    tests::breaks

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 2 tests
test outer_bad ... FAILED
test outer_ok ... ok

failures:

---- outer_bad stdout ----
Error: "no"


failures:
    outer_bad

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test src/lib.rs - add (line 2) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s
`

export const PYTEST_JUNIT = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="2" failures="1" skipped="2" tests="6" time="0.148"><testcase classname="" name="tests.test_b" file="tests/test_b.py" time="0.000"><error message="collection failure">ImportError while importing test module
Traceback:
tests/test_b.py:1: in &lt;module&gt;
    import nope
E   ModuleNotFoundError: No module named 'nope'</error></testcase><testcase classname="tests.test_a" name="test_ok" file="tests/test_a.py" line="1" time="0.001" /><testcase classname="tests.test_a" name="test_bad" file="tests/test_a.py" line="2" time="0.001"><failure message="AssertionError: one is not two&#10;assert 1 == 2">def test_bad():
        x = 1
&gt;       assert x == 2, "one is not two"
E       AssertionError: one is not two

tests/test_a.py:5: AssertionError</failure></testcase><testcase classname="tests.test_a" name="test_skip" file="tests/test_a.py" line="5" time="0.000"><skipped type="pytest.skip" message="later">tests/test_a.py:6: later</skipped></testcase><testcase classname="tests.test_a" name="test_err" file="tests/test_a.py" line="9" time="0.001"><error message="failed on setup">@pytest.fixture
&gt;   def broken(): raise RuntimeError("no fixture")
E   RuntimeError: no fixture

tests/test_a.py:9: RuntimeError</error></testcase><testcase classname="tests.test_a" name="test_xf" file="tests/test_a.py" line="10" time="0.001"><skipped type="pytest.xfail" message="" /></testcase></testsuite></testsuites>`

export const JEST_JSON = JSON.stringify({
  numFailedTestSuites: 2,
  numFailedTests: 1,
  numPassedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  numTotalTests: 4,
  success: false,
  testResults: [
    {
      name: '/w/a.test.js',
      status: 'failed',
      message: '',
      assertionResults: [
        { fullName: 'group adds', status: 'passed', failureMessages: [], location: { line: 2, column: 3 } },
        {
          fullName: 'group breaks',
          status: 'failed',
          failureMessages: [
            'Error: expect(received).toBe(expected)\n    at Object.toBe (/w/node_modules/x.js:1:1)\n    at Object.<anonymous> (/w/a.test.js:4:58)',
          ],
          location: { line: 3, column: 3 },
        },
        { fullName: 'group later', status: 'pending', failureMessages: [], location: null },
        { fullName: 'group todo', status: 'todo', failureMessages: [], location: null },
      ],
    },
    { name: '/w/b.test.js', status: 'failed', message: 'Cannot find module ./nope', assertionResults: [] },
  ],
})

export const ERT_TEXT = `Running 5 tests (2026-11-15 10:51:40+0000, selector ‘t’)
   passed  1/5  foo-adds (0.000081 sec)
Test foo-breaks condition:
    (ert-test-failed
     ((should
       (=
	(foo-add 1 1)
	3))
      :form
      (= 2 3)
      :value nil))
   FAILED  2/5  foo-breaks (0.000058 sec)
Test foo-errs condition:
    (error "Boom 1")
   FAILED  3/5  foo-errs (0.000067 sec) at test/foo-test.el:6
   failed  4/5  foo-expected (0.000072 sec)
  skipped  5/5  foo-skips (0.000064 sec)

Ran 5 tests, 2 results as expected, 2 unexpected, 1 skipped (2026-11-15 10:51:40+0000, 0.172552 sec)
1 expected failures
`

/** The counts come on one stream and the failures on the other; a test has printed what looks like one. */
export const VITEST_TEXT = {
  stdout: `
 RUN  v5.1.0 /w

 ❯ test/hook.test.ts (1 test | 1 skipped) 7ms
   ❯ with a hook (1)
     ↓ stands on it
 ❯ test/broken.test.ts (0 test)
 ❯ test/alike.test.ts (2 tests | 2 failed) 54ms
   × fails alike 1 36ms
   × fails alike 2 7ms
 ❯ test/sample.test.ts (6 tests | 3 failed | 1 skipped) 120ms
   ❯ sums (4)
     ✓ adds 1ms
     × takes a > b apart 91ms
     ✓ is odd: 1 0ms
     ↓ is skipped
   × throws elsewhere 1ms
   × has a cause 0ms

 Test Files  4 failed (4)
      Tests  5 failed | 2 passed | 2 skipped (9)
   Start at  14:33:06
   Duration  2.09s (transform 48%, tests 19%, import 18%, worker 16%)

`,
  stderr: `stderr | test/sample.test.ts > sums > adds
 FAIL  not/a/file.test.ts > printed


⎯⎯⎯⎯⎯⎯ Failed Suites 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/broken.test.ts [ test/broken.test.ts ]
Error: Cannot find module './nowhere.ts' imported from /w/test/broken.test.ts
 ❯ test/broken.test.ts:1:1
      1| import { missing } from './nowhere.ts'
       | ^
      2| import { it } from 'vitest'
      3| it('never runs', () => missing())

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/7]⎯

 FAIL  test/hook.test.ts > with a hook
Error: no ground
 ❯ test/hook.test.ts:4:11
      2| describe('with a hook', () => {
      3|   beforeAll(() => {
      4|     throw new Error('no ground')
       |           ^
      5|   })
      6|   it('stands on it', () => {})

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/7]⎯


⎯⎯⎯⎯⎯⎯⎯ Failed Tests 5 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/sample.test.ts > sums > takes a > b apart
AssertionError: expected { a: 1, b: [ 2 ] } to deeply equal { a: 1, b: [ 3 ] }

- Expected
+ Received

  {
    "a": 1,
    "b": [
-     3,
+     2,
    ],
  }

 ❯ test/sample.test.ts:10:30
      8|
      9|   it('takes a > b apart', () => {
     10|     expect({ a: 1, b: [2] }).toEqual({ a: 1, b: [3] })
       |                              ^
     11|   })
     12|

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[3/7]⎯

 FAIL  test/sample.test.ts > throws elsewhere
TypeError: no luck here
 ❯ refuse test/helper.ts:2:9
      1| export function refuse(): never {
      2|   throw new TypeError('no luck here')
       |         ^
      3| }
      4|
 ❯ test/sample.test.ts:21:3

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[4/7]⎯

 FAIL  test/sample.test.ts > has a cause
Error: outer
 ❯ test/sample.test.ts:25:9
     23|
     24| it('has a cause', () => {
     25|   throw new Error('outer', { cause: new Error('inner') })
       |         ^
     26| })
     27|

Caused by: Error: inner
 ❯ test/sample.test.ts:25:37

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[5/7]⎯

 FAIL  test/alike.test.ts > fails alike 1
 FAIL  test/alike.test.ts > fails alike 2
AssertionError: expected 1 to be 2 // Object.is equality

- Expected
+ Received

- 2
+ 1

 ❯ test/alike.test.ts:4:13
      2|
      3| it.for([1, 2])('fails alike %i', () => {
      4|   expect(1).toBe(2)
       |             ^
      5| })
      6|

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[6/7]⎯

`,
}

/** Nothing but a file that could not be loaded. */
export const VITEST_BROKEN_FILE = {
  stdout: `
 RUN  v5.1.0 /w

 ❯ test/broken.test.ts (0 test)

 Test Files  1 failed (1)
      Tests  no tests
   Start at  14:39:45
   Duration  681ms (worker 100%)

`,
  stderr: `
⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/broken.test.ts [ test/broken.test.ts ]
Error: Cannot find module './nowhere.ts' imported from /w/test/broken.test.ts
 ❯ test/broken.test.ts:1:1
      1| import { missing } from './nowhere.ts'
       | ^
      2| import { it } from 'vitest'
      3| it('never runs', () => missing())

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

`,
}
