import { describe, expect, it } from 'vitest'
import { benchAskingBefore, errorOf, outputOf } from '../../bench-folder.ts'

const PROGRAMS = ['vitest', 'jest', 'mocha', 'ava', 'tap', 'tape', 'uvu', 'react-scripts']

/** A package with these scripts, and every runner among its packages. */
function packageWith(scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    'package.json': JSON.stringify({ scripts }),
    ...Object.fromEntries(PROGRAMS.map((name) => [`node_modules/.bin/${name}`, ''])),
  }
}

async function wouldRun(files: Readonly<Record<string, string>>, args = {}): Promise<string> {
  const result = outputOf(await benchAskingBefore(files).call('run_tests', args, {}, { dryRun: true }))
  return (result as { would_run: string[] }).would_run.join(' ').replaceAll('node_modules/.bin/', '')
}

const VITEST = '--reporter=default --reporter=json --outputFile.json=/dev/stderr'
const JEST = '--json --testLocationInResults --passWithNoTests'
const MOCHA = '--reporter=json --reporter-option=output=/dev/stderr'
const NODE = 'node --test-reporter=tap --test-reporter-destination=stdout'

describe('the test part of a script', () => {
  it.each([
    ['npm run build && vitest run --coverage', `vitest run --coverage ${VITEST}`],
    ['tsc && node --test', `${NODE} --test`],
    ['eslint . && jest --ci', `jest --ci ${JEST}`],
    ['xo && c8 --reporter text -r lcov ava --serial && tsd', 'ava --serial --tap'],
    ['nyc --all mocha -R dot test/unit', `mocha test/unit ${MOCHA}`],
    ['npx --no-install vitest@4 run', `vitest run ${VITEST}`],
    ['tape test/*.js | tap-spec', 'tape test/*.js'],
    ['lint; mocha --require "a b.js"', `mocha --require a b.js ${MOCHA}`],
    [
      'node --import tsx --test "test/**/*.ts" --test-reporter spec',
      `${NODE} --import tsx --test test/**/*.ts`,
    ],
    ['uvu -r esm test', 'uvu -r esm test'],
    ['uvu -r esm test "\\.test\\.js$"', 'uvu -r esm test \\.test\\.js$'],
    ['tap --bail -R spec', 'tap --reporter=tap'],
    ['bun test --watch', 'bun test --reporter=junit --reporter-outfile=/dev/stderr'],
    ['react-scripts test', `react-scripts test --watchAll=false ${JEST}`],
  ])('of %j is started with its flags', async (test, words) => {
    expect(await wouldRun(packageWith({ test }))).toBe(words)
  })

  it.each([
    ['env A=1 B=x jest', `env A=1 B=x jest ${JEST}`],
    ['NODE_ENV=test mocha', `env NODE_ENV=test mocha ${MOCHA}`],
    ['cross-env CI=1 vitest run', `env CI=1 vitest run ${VITEST}`],
    ['cross-env NODE_ENV=test nyc npm run unit', `env NODE_ENV=test ava --tap`],
    [
      'NODE_OPTIONS=--experimental-vm-modules jest',
      `env NODE_OPTIONS=--experimental-vm-modules jest ${JEST}`,
    ],
    ['dotenv -e .env.test -- vitest run', `dotenv -e .env.test -- vitest run ${VITEST}`],
    [
      'node --experimental-vm-modules node_modules/jest/bin/jest.js',
      `node --experimental-vm-modules node_modules/jest/bin/jest.js ${JEST}`,
    ],
  ])('of %j keeps its variables, and they are shown', async (test, words) => {
    expect(await wouldRun(packageWith({ test, unit: 'ava' }))).toBe(words)
  })

  it.each([
    ['npm run lint && npm run test:unit -- --bail=1'],
    ['pnpm test:unit --bail=1'],
    ['yarn run test:unit --bail=1'],
    ['pnpm lint && pnpm vitest run --bail=1'],
    ['yarn vitest run --bail=1'],
    ['run-s lint test:only'],
    ['pnpm run /^test:on/'],
    ['npm-run-all lint test:only'],
    ['npm exec -- vitest run --bail=1'],
  ])('is followed through %j', async (test) => {
    const scripts = { test, lint: 'eslint .', 'test:unit': 'vitest run', 'test:only': 'vitest run --bail=1' }
    expect(await wouldRun(packageWith(scripts))).toBe(`vitest run --bail=1 ${VITEST}`)
  })

  it.each([
    ['vitest', `vitest --run ${VITEST}`],
    ['vitest watch --ui', `vitest run ${VITEST}`],
    ['vitest --watch --reporter verbose', `vitest --run ${VITEST}`],
    ['jest --watch --watchAll', `jest ${JEST}`],
    ['mocha --watch -w', `mocha ${MOCHA}`],
    ['ava --watch', 'ava --tap'],
    ['node --watch --test', `${NODE} --test`],
  ])('never waits for changes: %j', async (test, words) => {
    expect(await wouldRun(packageWith({ test }))).toBe(words)
  })

  it('may have another name if none is called test, or be that of a folder it goes to', async () => {
    expect(await wouldRun(packageWith({ unit: 'uvu tests' }))).toBe('uvu tests')
    const nothing = 'echo "Error: no test specified" && exit 1'
    expect(await wouldRun(packageWith({ test: nothing, 'test:unit': 'ava' }))).toBe('ava --tap')
    const inside = { ...packageWith({ test: 'cd core && ava' }), 'core/a.js': '' }
    expect(await wouldRun(inside)).toBe('env --chdir=core ../ava --tap')
  })

  it('has the files that its patterns match, because not every Node looks for them', async () => {
    const files = { 'test/a.js': '', 'test/b.js': '', 'lib/c.js': '' }
    const test = 'node --test test/*.js'
    expect(await wouldRun({ ...packageWith({ test }), ...files })).toBe(`${NODE} --test test/a.js test/b.js`)
  })

  it('is the whole script if none of it is known, and a makefile comes last', async () => {
    expect(await wouldRun(packageWith({ test: 'node test/run.js' }))).toBe('npm run test')
    expect(await wouldRun({ Makefile: 'all:\n\ntest: all\n\t./t\n' })).toBe('make test')
    const named = await benchAskingBefore(packageWith({ test: 'node test/run.js' })).call(
      'run_tests',
      { selector: 'adds' },
      {},
      { dryRun: true },
    )
    expect(errorOf(named)).toMatchObject({ code: 'bad_args' })
  })

  it('loops of scripts end', async () => {
    expect(await wouldRun(packageWith({ test: 'npm run a', a: 'npm run test' }))).toBe('npm run test')
  })
})

describe('a selector', () => {
  it.each([
    ['mocha test/', 'test/a.js', `mocha ${MOCHA} test/a.js`],
    ['mocha test/', 'adds', `mocha test/ ${MOCHA} --grep=adds`],
    ['ava', 'adds', 'ava --tap --match=*adds*'],
    ['tape test/*.js', 'test/a.js', 'tape test/a.js'],
    ['uvu test', 'test/a.js', 'uvu test ^a\\.js$'],
    ['tap', 'adds', 'tap --reporter=tap --grep=/adds/'],
    ['vitest run', 'test/a.js', `vitest run ${VITEST} test/a.js`],
  ])('is handed to %j as it takes it: %j', async (test, selector, words) => {
    expect(await wouldRun({ ...packageWith({ test }), 'test/a.js': '' }, { selector })).toBe(words)
  })
})
