import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

function nodeProject(body: string, test = 'node --test'): Readonly<Record<string, string>> {
  return {
    'package.json': JSON.stringify({ scripts: { test } }),
    'a.test.js': `const test = require('node:test')\n${body}`,
  }
}

/** A package with a runner that prints this. */
function packageWith(runner: string, printed: string) {
  const b = bench({
    'package.json': JSON.stringify({ scripts: { test: runner } }),
    [`node_modules/.bin/${runner}`]: `#!/bin/sh\ncat <<'END'\n${printed}\nEND\n`,
  })
  chmodSync(join(b.root, `node_modules/.bin/${runner}`), 0o755)
  return b
}

describe('variables of a call', () => {
  const SAYS = 'test(`it is ${process.env.WHICH}`, () => {})\n'

  it('reach the tests, after those of the script', async () => {
    const b = bench(nodeProject(SAYS, 'env WHICH=script node --test'))
    const titles = async (args: object) =>
      (await b.call('run_tests', { selector: 'it is call', ...args }, agreed)).ok
    expect(await titles({})).toBe(false)
    expect(await titles({ env: { WHICH: 'call' } })).toBe(true)
  })

  it('are shown in the question, and one that changes what runs makes the risk high', async () => {
    const asked: ApprovalRequest[] = []
    const watching: Partial<RuntimeOptions> = {
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny' as const)
      },
    }
    const b = benchAskingBefore(nodeProject(SAYS))
    await b.call('run_tests', { env: { WHICH: 'a b' } }, watching)
    await b.call('run_tests', { env: { NODE_OPTIONS: '--require=./evil.js' } }, watching)
    await b.call('run_tests', { env: { LD_PRELOAD: '/x.so' }, command: ['node', '--test'] }, watching)
    expect(asked.map(({ risk }) => risk)).toEqual(['Medium', 'High', 'High'])
    expect(asked[0]?.summary).toBe("Run the tests with: 'WHICH=a b'")
    expect(asked[1]?.summary).toContain('NODE_OPTIONS=--require=./evil.js')
  })

  it('are not covered by a grant for the tests of the project', async () => {
    const b = benchAskingBefore(nodeProject(SAYS))
    let questions = 0
    const always: Partial<RuntimeOptions> = {
      approve: (requests) => {
        questions += requests.length
        return requests.map(({ scopes }) => ({
          answer: 'scope' as const,
          scope: scopes[0]?.scope ?? { kind: 'tool' as const },
        }))
      },
    }
    const runtime = await b.open(always)
    const ask = (id: string, args: JsonObject) => runtime.run([{ id, name: 'run_tests', args }])
    await ask('1', {})
    await ask('2', {})
    expect(questions).toBe(1)
    await ask('3', { env: { WHICH: 'x' } })
    expect(questions).toBe(2)
  })
})

describe('a run', () => {
  it('without a test is not a success, and names the pattern', async () => {
    const b = bench(nodeProject("test('adds', () => {})\n"))
    const none = errorOf(await b.call('run_tests', { selector: 'subtracts' }, agreed))
    expect(none.message).toContain('No tests were run: none fit the selector "subtracts"')
    expect(none.message).toContain('--test-name-pattern=subtracts')
    const empty = packageWith('tap', 'TAP version 14\n1..0')
    expect(errorOf(await empty.call('run_tests', {}, agreed)).message).toContain(
      'No tests were run: none were found',
    )
  })

  it('that is green says nothing but the counts', async () => {
    const body = "test('adds', () => { console.log('NOISE'); console.error('NOISE') })\n"
    const result = await bench(nodeProject(body)).call('run_tests', {}, agreed)
    expect(result.content).toBe('1 test (node): 1 passed, 0 failed')
  })

  it('names a failure once, without colours', async () => {
    const body =
      "test('adds', () => { console.log('\\u001b[31mNOISE'); throw new Error('\\u001b[31mwrong sum') })\n"
    const { content } = await bench(nodeProject(body)).call('run_tests', {}, agreed)
    expect(content.split('wrong sum')).toHaveLength(2)
    expect(content.split('FAILED adds')).toHaveLength(2)
    expect(content).not.toContain('NOISE')
    expect(content).not.toContain('\u001b')
  })

  it('says what the script does before its tests if they fail, and what else it tests', async () => {
    const script = 'npm run build && node --test && node --test other'
    const failing = await bench(nodeProject("test('adds', () => { throw new Error('no') })\n", script)).call(
      'run_tests',
      {},
      agreed,
    )
    expect(failing.content).toContain(
      'the script of the project also runs: npm run build. That was left out.',
    )
    const prepared = {
      ...nodeProject("test('adds', () => { throw new Error('no') })\n"),
      'package.json': JSON.stringify({ scripts: { test: 'node --test', pretest: 'tsc' } }),
    }
    const { content } = await bench(prepared).call('run_tests', {}, agreed)
    expect(content).toContain('also runs: npm run pretest. That was left out.')
    const green = await bench(nodeProject("test('adds', () => {})\n", script)).call('run_tests', {}, agreed)
    expect(green.content).not.toContain('npm run build')
    expect(green.content).toContain('also runs node --test other')
  })

  it('that ends badly although no test failed shows its output', async () => {
    const b = bench()
    const command = [
      'sh',
      '-c',
      'echo TAP version 13; echo ok 1 - a; echo 1..1; echo coverage too low; exit 1',
    ]
    const { content } = await b.call('run_tests', { command }, agreed)
    expect(content).toContain('ended with exit code 1 although no test failed')
    expect(content).toContain('coverage too low')
  })
})

describe('a report', () => {
  const FORMS: readonly (readonly [string, string, object])[] = [
    [
      'mocha',
      '{\n  "stats": {\n    "tests": 3\n  },\n  "passes": [{"fullTitle":"a"}],\n  "pending": [{"fullTitle":"c"}],\n  "failures": [{"fullTitle":"s b","file":"/w/t.js","err":{"message":"no","stack":"Error: no\\n    at x (/w/t.js:7:1)"}}]\n}',
      {
        total: 3,
        passed: 1,
        skipped: 1,
        failures: [{ name: 's b', file: '/w/t.js', line: 7, message: 'no' }],
      },
    ],
    [
      'ava',
      "TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n    name: AssertionError\n    message: Not equal\n    at: 'file:///w/t.js:4:3'\n  ...\n1..2\n# tests 2\n# pass 1\n# fail 1",
      { total: 2, passed: 1, failures: [{ name: 'b', file: '/w/t.js', line: 4, message: 'Not equal' }] },
    ],
    [
      'tap',
      'TAP version 14\n# Subtest: t.js\n    # Subtest: inner\n        ok 1 - one\n        not ok 2 - two\n          ---\n          at:\n            fileName: t.js\n            lineNumber: 9\n          diff: "-1"\n          ...\n        1..2\n    not ok 1 - inner\n    1..1\nnot ok 1 - t.js\n1..1',
      { total: 2, passed: 1, failed: 1, failures: [{ name: 'two', file: 't.js', line: 9 }] },
    ],
    [
      'uvu',
      ' t.js  • ✘   (1 / 2)\n\n   FAIL  sum  "adds"\n    Expected 3\n\n    at assert (/w/node_modules/uvu/a.js:1:1)\n    at x (/w/t.js:5:2)\n\n  Total:     2\n  Passed:    1\n  Skipped:   0\n  Duration:  1ms\n',
      {
        total: 2,
        passed: 1,
        failures: [{ name: 'sum "adds"', file: '/w/t.js', line: 5, message: 'Expected 3' }],
      },
    ],
  ]
  it.each(FORMS)('of %s is read', async (runner, printed, expected) => {
    expect(outputOf(await packageWith(runner, printed).call('run_tests', {}, agreed))).toMatchObject(expected)
  })

  it('of a makefile is known by its closing line', async () => {
    const b = bench({ Makefile: "test:\n\t@echo '14 tests, 13 passed, 1 failed'; exit 1\n" })
    expect(outputOf(await b.call('run_tests', {}, agreed))).toMatchObject({
      total: 14,
      passed: 13,
      failed: 1,
      runner: 'make',
    })
  })

  it('of unittest is read, with the place of a failure', async () => {
    const b = bench({
      'tests/__init__.py': '',
      'tests/test_sum.py':
        'import unittest\n\nclass Sum(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(1 + 1, 2)\n\n    def test_wrong(self):\n        self.assertEqual(1 + 1, 3)\n\n    @unittest.skip("later")\n    def test_later(self):\n        pass\n',
    })
    const result = outputOf(await b.call('run_tests', {}, agreed))
    expect(result).toMatchObject({ runner: 'unittest', total: 3, passed: 1, failed: 1, skipped: 1 })
    expect(result['failures']).toMatchObject([
      { file: 'tests/test_sum.py', line: 8, message: 'AssertionError: 2 != 3' },
    ])
    const one = outputOf(await b.call('run_tests', { selector: 'tests/test_sum.py' }, agreed))
    expect(one).toMatchObject({ total: 3 })
    expect(outputOf(await b.call('run_tests', { selector: 'test_adds' }, agreed))).toMatchObject({ total: 1 })
  })
})
