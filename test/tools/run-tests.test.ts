import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

const NODE_PROJECT = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'test/sum.test.js': `import test from 'node:test'
import assert from 'node:assert'
test('adds', () => assert.equal(1 + 1, 2))
test('adds wrongly', () => {
  assert.equal(1 + 1, 3, 'not three')
})
test('later', { skip: true }, () => {})
`,
}

const ERT_PROJECT = {
  'sum.el': "(defun sum (a b) (+ a b))\n(provide 'sum)\n",
  'test/sum-test.el': `;;; sum-test.el -*- lexical-binding: t; -*-
(require 'sum)
(ert-deftest sum-adds () (should (= (sum 1 1) 2)))
(ert-deftest sum-adds-wrongly () (should (= (sum 1 1) 3)))
(ert-deftest sum-breaks () :tags '(slow) (error "Boom"))
(ert-deftest sum-later () (skip-unless nil))
`,
}

describe('run_tests', () => {
  it('F-TOOL-run_tests: node’s tests come back as counts, failures with their place, and a report', async () => {
    const result = outputOf(await bench(NODE_PROJECT).call('run_tests', {}, agreed))
    expect(result).toMatchObject({
      total: 3,
      passed: 1,
      failed: 1,
      errors: 0,
      skipped: 1,
      runner: 'node',
      exit_code: 1,
      failures: [{ name: 'adds wrongly', file: 'test/sum.test.js', line: 5, message: 'not three' }],
      sandbox: 'sandboxed by bubblewrap',
    })
    expect(result['report']).toContain('FAILED adds wrongly (test/sum.test.js:5)')
  })

  it('F-TOOL-run_tests: a Node that the project brings comes before the one on PATH, as it does for npm', async () => {
    const b = bench({
      ...NODE_PROJECT,
      'node_modules/.bin/node': '#!/bin/sh\necho 1..1; echo "ok 1 - by the own Node"\n',
    })
    chmodSync(join(b.root, 'node_modules/.bin/node'), 0o755)
    expect(outputOf(await b.call('run_tests', {}, agreed))).toMatchObject({ total: 1, passed: 1 })
  })

  it('F-TOOL-run_tests: ERT tests come back the same way, and an error is told from a failure', async () => {
    const result = outputOf(await bench(ERT_PROJECT).call('run_tests', {}, agreed))
    expect(result).toMatchObject({ total: 4, passed: 1, failed: 1, errors: 1, skipped: 1, runner: 'ert' })
    expect(result['failures']).toMatchObject([
      { name: 'sum-adds-wrongly', file: 'test/sum-test.el', line: 4 },
      { name: 'sum-breaks', file: 'test/sum-test.el', line: 5, message: '(error "Boom")' },
    ])
  })

  it('F-TEST-tests-selector: an ERT selector is a regular expression, a form of ERT’s own, or a file', async () => {
    const b = bench(ERT_PROJECT)
    const counts = async (selector: string) =>
      outputOf(await b.call('run_tests', { selector }, agreed)) as { total: number; passed: number }
    expect(await counts('-adds$')).toMatchObject({ total: 1, passed: 1 })
    expect(await counts('(or (tag slow) "later")')).toMatchObject({ total: 2, errors: 1, skipped: 1 })
    expect(await counts('test/sum-test.el')).toMatchObject({ total: 4 })
  })

  it('F-TEST-tests-selector: a selector never becomes Lisp that is run, an option, or shell text', async () => {
    const ertBench = bench(ERT_PROJECT)
    const lisp = '") (write-region "x" nil "made") ("'
    const nothing = errorOf(await ertBench.call('run_tests', { selector: lisp }, agreed))
    expect(nothing).toMatchObject({ code: 'execution_failed', details: { counts: { total: 0 } } })
    const called = errorOf(await ertBench.call('run_tests', { selector: '(satisfies kill-emacs)' }, agreed))
    expect(called).toMatchObject({ code: 'bad_args', type: 'validation-error' })
    expect(() => readFileSync(`${ertBench.root}/made`)).toThrow('ENOENT')

    const nodeBench = bench(NODE_PROJECT)
    for (const selector of ['--version', '$(touch made)', '; touch made', '-e']) {
      const error = errorOf(await nodeBench.call('run_tests', { selector }, agreed))
      expect(error).toMatchObject({ code: 'execution_failed', details: { counts: { total: 0 } } })
      expect(error.message).toContain(`No tests were run: none fit the selector ${JSON.stringify(selector)}`)
      expect(error.message).toContain(`--test-name-pattern=${selector}`)
    }
    expect(() => readFileSync(`${nodeBench.root}/made`)).toThrow('ENOENT')
    for (const selector of ['a\nb', '../'.repeat(80_000)])
      expect(errorOf(await nodeBench.call('run_tests', { selector }, agreed)).code).toBe('bad_args')
  })

  it('F-TEST-tests-selector: node runs the tests of that name, or of that file', async () => {
    const b = bench({
      ...NODE_PROJECT,
      'test/other.test.js': "import test from 'node:test'\ntest('other', () => {})\n",
    })
    expect(outputOf(await b.call('run_tests', { selector: '^adds$' }, agreed))).toMatchObject({
      total: 1,
      passed: 1,
    })
    expect(outputOf(await b.call('run_tests', { selector: 'test/other.test.js' }, agreed))).toMatchObject({
      total: 1,
      passed: 1,
    })
  })

  it('how a selector is handed over is seen in a dry run of what is asked about first, which starts nothing and asks nobody', async () => {
    const wouldRun = async (files: Readonly<Record<string, string>>, selector: string) =>
      outputOf(await benchAskingBefore(files).call('run_tests', { selector }, {}, { dryRun: true }))
    const vitestProject = {
      'package.json': '{"devDependencies":{"vitest":"*"}}',
      'node_modules/.bin/vitest': '',
      'a.test.ts': '',
    }
    const last = async (files: Readonly<Record<string, string>>, selector: string) => {
      const { dry_run, would_run } = (await wouldRun(files, selector)) as {
        dry_run: true
        would_run: string[]
      }
      expect(dry_run).toBe(true)
      return would_run.at(-1)
    }
    expect(await last(vitestProject, '--config=x')).toBe('--testNamePattern=--config=x')
    expect(await last(vitestProject, './a.test.ts')).toBe('a.test.ts')
    expect(await last(vitestProject, '.')).toBe('--outputFile.json=/dev/stderr')
    const quoted = { 'package.json': '{"scripts":{"test":"node --test \'test/*.js\'"}}' }
    expect(await last(quoted, 'adds')).toBe('test/*.js')
    const jestProject = { 'package.json': '{"scripts":{"test":"jest"}}', 'node_modules/.bin/jest': '' }
    expect(await last(jestProject, '-x')).toBe('--testNamePattern=-x')
    expect(await last({ ...jestProject, 'a.b/x.js': '' }, 'a.b')).toBe('a\\.b/')
    expect(await last({ 'pytest.ini': '[pytest]' }, '-p evil')).toBe('-k-p evil')
    expect(await last({ 'pytest.ini': '', 'tests/test_a.py': '' }, 'tests/test_a.py')).toBe('tests/test_a.py')
    expect(await wouldRun({ 'go.mod': 'module x' }, '-exec=evil')).toMatchObject({
      would_run: ['go', 'test', '-json', '-run=-exec=evil', './...'],
    })
    expect(await wouldRun({ 'Cargo.toml': '', 'tests/outer.rs': '' }, 'tests/outer.rs')).toMatchObject({
      would_run: ['cargo', 'test', '--no-fail-fast', '--color=never', '--test=outer'],
    })
    const refused = await benchAskingBefore({ 'Cargo.toml': '' }).call(
      'run_tests',
      { selector: '--config=x' },
      {},
      { dryRun: true },
    )
    expect(errorOf(refused).code).toBe('bad_args')
  })

  it('F-TOOL-run_tests: a command of one’s own is run as it is, and its report known by its looks', async () => {
    const b = bench()
    const tap = 'echo TAP version 13; echo ok 1 - fine; echo not ok 2 - bad; echo 1..2; exit 1'
    expect(outputOf(await b.call('run_tests', { command: ['sh', '-c', tap] }, agreed))).toMatchObject({
      total: 2,
      passed: 1,
      failed: 1,
      exit_code: 1,
    })
    const config = {
      'tools.run_tests.command': ['printf', 'TAP version 13\\nok 1 - %s\\n1..1\\n', '{selector}'],
    }
    const run = { ...agreed, config }
    const chosen = outputOf(await b.call('run_tests', { selector: 'mine' }, run))
    expect(chosen).toMatchObject({
      total: 1,
      command: [...config['tools.run_tests.command'].slice(0, 2), 'mine'],
    })
    expect(errorOf(await b.call('run_tests', { selector: '--mine' }, run)).code).toBe('bad_args')
  })

  it('F-TOOL-run_tests: a runner that crashes or prints nothing readable is said to be so, with its exit code', async () => {
    const b = bench()
    const failWith = async (command: readonly string[]) =>
      errorOf(await b.call('run_tests', { command }, agreed))
    const common = { code: 'execution_failed', type: 'process-error', state: 'ROLLED_BACK' }
    const unreadable = await failWith(['sh', '-c', 'echo all well; exit 3'])
    expect(unreadable).toMatchObject({
      ...common,
      details: { exit_code: 3, stdout: 'all well\n', effects: 'discarded' },
    })
    expect(unreadable.message).toContain('exit code 3')
    expect((await failWith(['true'])).message).toContain('It printed nothing')
    expect(await failWith(['sh', '-c', 'echo 1..2; kill -9 $$'])).toMatchObject({
      ...common,
      details: { exit_code: null, signal: 'SIGKILL' },
    })
    expect((await failWith(['no-such-runner'])).message).toContain('"no-such-runner" was not found')
    const broken = errorOf(
      await bench({ 'x-test.el': "(require 'nowhere)\n(ert-deftest x () t)" }).call('run_tests', {}, agreed),
    )
    expect(broken.message).toContain('nowhere')
  })

  it('F-TOOL-run_tests: where there are no tests, it says what it looked for', async () => {
    const error = errorOf(await bench({ 'a.txt': '' }).call('run_tests', {}, agreed))
    for (const word of ['vitest', 'jest', 'node --test', 'pytest.ini', 'go.mod', 'Cargo.toml', 'ert-deftest'])
      expect(error.message).toContain(word)
    const missing = await bench({ 'package.json': '{"devDependencies":{"jest":"1"}}' }).call(
      'run_tests',
      {},
      agreed,
    )
    expect(errorOf(missing).message).toContain('node_modules/.bin/jest is not there')
  })

  it.each([
    ['nothing that names a runner', { 'notes.txt': 'x' }],
    ['a script whose runner is not installed', { 'package.json': '{"scripts":{"test":"jest"}}' }],
    ['a script without a report', { 'package.json': '{"scripts":{"test":"true"}}' }],
    ['no tests', { 'package.json': '{"scripts":{"test":"node --test"}}' }],
  ])('says how to name the command where there is %s', async (_what, files) => {
    const { content } = errorOf(await bench(files).call('run_tests', {}, agreed))
    expect(content).toContain('as in run_tests {"command": ["make", "check"]}')
  })

  it('it asks like the shell, and is off in the profile strict', async () => {
    const b = benchAskingBefore(NODE_PROJECT)
    const auto = { config: { 'tools.approval.mode': 'auto' } }
    expect(errorOf(await b.call('run_tests', {}, auto)).code).toBe('approval_denied')
    expect(errorOf(await b.call('run_tests', {}, { ...agreed, profile: 'strict' })).code).toBe('denylisted')
    const off = { ...agreed, config: { 'tools.run_tests.enabled': false } }
    expect(errorOf(await b.call('run_tests', {}, off)).code).toBe('denylisted')
  })

  it('a run that takes too long is stopped, and one may run the same tests again', async () => {
    const b = bench({
      'package.json': '{"scripts":{"test":"node --test"}}',
      'a.test.js': 'setInterval(() => {}, 9)',
    })
    const slow = { ...agreed, config: { 'tools.timeouts.shell_commands_seconds': 1 } }
    expect(errorOf(await b.call('run_tests', {}, slow))).toMatchObject({
      code: 'timeout',
      state: 'ROLLED_BACK',
    })
    const runtime = await bench(NODE_PROJECT).open(agreed)
    for (const id of ['1', '2']) {
      const [again] = await runtime.run([{ id, name: 'run_tests', args: { selector: '^adds$' } }], {
        iteration: 2,
      })
      expect(outputOf(again)).toMatchObject({ passed: 1 })
    }
  })

  it('F-CUSTOM: the report and the list of failures end where the configuration says', async () => {
    const many = Array.from(
      { length: 30 },
      (_, n) => `test('t${n}', () => { throw new Error('${'x'.repeat(500)}') })`,
    )
    const b = bench({
      'a.test.js': `import test from 'node:test'\n${many.join('\n')}\n`,
      'package.json': '{"type":"module"}',
    })
    const config = { 'tools.run_tests.max_failures': 3, 'tools.run_tests.max_report_bytes': 1000 }
    const small = outputOf(await b.call('run_tests', {}, { ...agreed, config })) as {
      failures: unknown[]
      report: string
    }
    expect(small).toMatchObject({ total: 30, failed: 30, truncated: true })
    expect(small.failures).toHaveLength(3)
    expect(Buffer.byteLength(small.report)).toBeLessThanOrEqual(1000)
    const tiny = await b.call('run_tests', {}, { ...agreed, config: { 'tools.output.max_bytes': 1500 } })
    expect(outputOf(tiny)).toMatchObject({ total: 30, failed: 30, truncated: true })
    expect(Buffer.byteLength(tiny.content)).toBeLessThanOrEqual(1500)
  })
})
