import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

const PASSES = "require('node:test')('passes', () => {})\n"
const FAILS = "require('node:test')('breaks', () => { throw new Error('no') })\n"

function packageOf(name: string, scripts = {}, more = {}): string {
  return JSON.stringify({ name, scripts, ...more })
}

const WORKSPACE = {
  'package.json': packageOf('top', { test: 'npm test --workspaces' }, { workspaces: ['packages/*'] }),
  'packages/a/package.json': packageOf('@top/a', { test: 'node --test' }),
  'packages/a/test/a.test.js': PASSES,
  'packages/b/package.json': packageOf('@top/b', { test: 'tsc && node --test' }),
  'packages/b/b.test.js': FAILS,
  'packages/none/package.json': packageOf('@top/none'),
  'examples/c/package.json': packageOf('c', { test: 'node --test' }),
  'examples/c/c.test.js': FAILS,
}

describe('a workspace', () => {
  it('runs the tests of each package, and says which failed where', async () => {
    const result = outputOf(await bench(WORKSPACE).call('run_tests', {}, agreed))
    expect(result).toMatchObject({ total: 2, passed: 1, failed: 1, runner: 'node', exit_code: 1 })
    expect(result['failures']).toMatchObject([{ name: 'breaks', file: 'packages/b/b.test.js' }])
    expect(result['report']).toContain('packages/a: 1 test (node): 1 passed, 0 failed\npackages/b: 1 test')
  })

  it('notes each thing once with the packages that it is about, and a check without tests is not an error', async () => {
    const b = bench({
      ...WORKSPACE,
      'packages/b/package.json': packageOf('@top/b', { pretest: 'tsc', test: 'node --test' }),
      'packages/c/package.json': packageOf('@top/c', { pretest: 'tsc', test: 'node --test' }),
      'packages/c/c.test.js': FAILS,
      'packages/types/package.json': packageOf('@top/types', { test: 'true' }),
    })
    const result = outputOf(await b.call('run_tests', {}, agreed))
    expect(result).toMatchObject({ total: 3, passed: 1, failed: 2, errors: 0 })
    expect(result['notes']).toEqual([
      'packages/b, packages/c: Before its tests, the script of the project also runs: npm run pretest. That was left out.',
      'packages/types: The command ended well, but reports no tests.',
    ])
  })

  it('in which no package reports a test is not a success', async () => {
    const { 'package.json': top } = WORKSPACE
    const types = (name: string) => ({ [`packages/${name}/package.json`]: packageOf(name, { test: 'true' }) })
    const b = bench({ 'package.json': top, ...types('a'), ...types('b') })
    expect(errorOf(await b.call('run_tests', {}, agreed)).message).toContain(
      'No tests were run: none were found',
    )
  })

  it('shows why a package could not be loaded, and not only where in Node', async () => {
    const load = `const wrap = (depth) => (depth === 0 ? require('./absent.js') : [0].map(() => wrap(depth - 1)))\nwrap(40)\n`
    const b = bench({
      ...WORKSPACE,
      'packages/b/package.json': packageOf('@top/b', { test: 'node node_modules/x/run.js' }),
      'packages/b/node_modules/x/run.js': load,
    })
    const { failures } = outputOf(await b.call('run_tests', {}, agreed)) as {
      failures?: { message: string }[]
    }
    expect(failures?.[0]?.message).toContain("Cannot find module './absent.js'")
    expect(failures?.[0]?.message).not.toMatch(/ at .*node:internal/)
  })

  it('runs the package that a path belongs to, in its folder', async () => {
    const b = bench(WORKSPACE)
    for (const selector of ['packages/a', 'packages/a/test/a.test.js', 'packages/a/test']) {
      const result = outputOf(await b.call('run_tests', { selector }, agreed))
      expect(result).toMatchObject({ total: 1, passed: 1, folder: 'packages/a' })
    }
  })

  it.each([
    ['pnpm', { 'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n  - '!packages/b'\n" }, 'pnpm -r test'],
    ['turbo', { 'lerna.json': '{"packages":["packages/a"]}' }, 'turbo run test'],
    ['one name', { 'pnpm-workspace.yaml': 'packages: ["packages/*"]' }, 'pnpm --filter @top/a test'],
  ])('is read as %s has it', async (_name, files, test) => {
    const { 'package.json': _top, ...packages } = WORKSPACE
    const all = { ...packages, 'package.json': packageOf('top', { test }), ...files }
    const seen = outputOf(await benchAskingBefore(all).call('run_tests', {}, {}, { dryRun: true }))
    expect(seen).toMatchObject({
      would_run: [
        'env',
        '--chdir=packages/a',
        'node',
        '--test-reporter=tap',
        '--test-reporter-destination=stdout',
        '--test',
      ],
    })
  })

  it('finds programs among the packages of the folders around', async () => {
    const files = {
      'package.json': packageOf('top', {}, { workspaces: { packages: ['a'] } }),
      'node_modules/.bin/ava': '#!/bin/sh\necho TAP version 13; echo ok 1 - by the one around; echo 1..1\n',
      'a/package.json': packageOf('a', { test: 'ava' }),
    }
    const seen = outputOf(await benchAskingBefore(files).call('run_tests', {}, {}, { dryRun: true }))
    expect(seen).toMatchObject({ would_run: ['env', '--chdir=a', '../node_modules/.bin/ava', '--tap'] })
  })
})

describe('projects in folders', () => {
  const FOLDERS = {
    'svc/go.mod': 'module svc',
    'svc/a_test.go': '',
    'lib/Cargo.toml': '[package]',
    'lib/src/lib.rs': '',
    'py/pyproject.toml': '[tool.pytest.ini_options]',
    'py/src/own/__init__.py': '',
    'py/tests/test_a.py': '',
    'docs/a.md': '',
  }
  const shown = async (args: Readonly<Record<string, string>>): Promise<string> => {
    const seen = outputOf(await benchAskingBefore(FOLDERS).call('run_tests', args, {}, { dryRun: true }))
    return (seen as { would_run: string[] }).would_run.join(' ')
  }

  it('are all run if the root has none', async () => {
    const words = await shown({})
    expect(words).toContain('env --chdir=lib cargo test')
    expect(words).toContain('&& env --chdir=py env PYTHONPATH=src pytest')
    expect(words).toContain('&& env --chdir=svc go test')
  })

  it.each([
    ['svc/a_test.go', 'env --chdir=svc go test -json .'],
    ['lib', 'env --chdir=lib cargo test --no-fail-fast --color=never'],
    ['lib/src/lib.rs', 'env --chdir=lib cargo test --no-fail-fast --color=never lib'],
  ])('are found by a path: %s', async (selector, words) => {
    expect(await shown({ selector })).toBe(words)
  })

  it('count their files from the root', async () => {
    expect((await shown({ selector: 'py/tests/test_a.py' })).endsWith(' tests/test_a.py')).toBe(true)
  })
})

it('a folder of examples with a package.json of its own is not a project without a test script', async () => {
  const b = bench({
    'package.json': packageOf('top', { test: 'node --test' }),
    'test/esm/package.json': '{"type":"module"}',
    'test/esm/a.test.js': "import test from 'node:test'\ntest('passes', () => {})\n",
  })
  const result = outputOf(await b.call('run_tests', { selector: 'test/esm/a.test.js' }, agreed))
  expect(result).toMatchObject({ total: 1, passed: 1 })
  expect(result['folder']).toBeUndefined()
})

it('a package whose runner is not installed is named, and is an error if it is the only one', async () => {
  const { 'packages/a/package.json': _a, ...others } = WORKSPACE
  const files = { ...others, 'packages/a/package.json': packageOf('a', { test: 'jest' }) }
  const result = outputOf(await bench(files).call('run_tests', {}, agreed))
  expect(result).toMatchObject({ total: 1, failed: 1 })
  expect(result['report']).toContain('packages/a was left out: the test script of package.json uses jest')
  const alone = errorOf(await bench(files).call('run_tests', { selector: 'packages/a' }, agreed))
  expect(alone.message).toContain('node_modules/.bin/jest is not there')
})
